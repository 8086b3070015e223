// SPDX-License-Identifier: BSD-3-Clause
// A queue of messages from one process to another in memory that both see.  No MPI in this file.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "nodequeue/faster_stores.hpp"

#ifdef __SANITIZE_THREAD__
extern "C" void __tsan_acquire(void*);
extern "C" void __tsan_release(void*);
#endif

namespace ortho::nodequeue {

/// A word from the sender: nothing yet, or where the first ring is, or that there was no memory for a ring,
/// so that the messages of operations up to this one come another way.
class Mailbox {
public:
    std::uint64_t load() const { return word_.load(std::memory_order_acquire); }
    void tell_ring(std::uint64_t offset) { word_.store(offset, std::memory_order_release); }
    void tell_no_ring(std::uint32_t number)
    {
        word_.store(std::uint64_t{number} << 1U | 1U, std::memory_order_release);
    }

    static bool is_no_ring(std::uint64_t word) { return (word & 1U) != 0; } // rings lie at even offsets
    static std::uint32_t number_of(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 1U); }

private:
    std::atomic<std::uint64_t> word_{0};
};

/// Does operation `a` come before `b`?  Numbers are taken in turn, from the last one on to 0 again.
constexpr bool is_before(std::uint32_t a, std::uint32_t b) { return static_cast<std::int32_t>(a - b) < 0; }

/// Is an operation's next message here, or does it come another way?
enum class Found : std::uint8_t { nothing, message, elsewhere };

#ifdef __SANITIZE_THREAD__
constexpr bool is_watched = true;
inline void release_in_watcher(std::byte* arena) { __tsan_release(arena); }
inline void acquire_in_watcher(std::byte* word) { __tsan_acquire(word); }
#else
constexpr bool is_watched = false;
inline void release_in_watcher(std::byte*) {}
inline void acquire_in_watcher(std::byte*) {}
#endif

/// The head of a message.  The kind is written last, and read first: a release store of it hands the message
/// over, an acquire load takes it.  So a small message is one cache line that goes to the reader.
struct RingHead {
    enum class Kind : std::uint8_t {
        nothing, ///< no message has come yet
        message,
        mapped,       ///< one that tells where its data lies, in the writer's arena
        remote,       ///< the same, in memory of the writer's process
        device,       ///< the same, in the memory of a device
        again,        ///< one whose data the reader could not read, once more
        announcement, ///< one that comes another way
        skip,         ///< the ring's last bytes are not used
        moved,        ///< what follows is in another ring, at offset `length` of the writer's arena
        left,         ///< the ring's own mailbox says how what follows comes
    };
    /// Flag of a message that comes in parts, whose first bytes may be all that is here.
    static constexpr std::uint32_t in_parts = 1U << 8U;

    std::uint32_t kind; ///< and in_parts
    std::uint32_t tag;
    std::uint64_t length; ///< of what follows the head
};

constexpr std::uint32_t word(RingHead::Kind kind) { return static_cast<std::uint32_t>(kind); }

/// This line will be written: it leaves the other core's cache meanwhile.
inline void prefetch_to_write(const std::byte* line)
{
#ifdef __x86_64__ // the compiler's own is this one only where it is told which processor
    asm volatile("prefetchw %0" : : "m"(*line));
#else
    __builtin_prefetch(line, 1);
#endif
}

/// The part that reader and writer share, in the writer's arena; the ring's bytes follow.  Each counter has
/// one writer, and counts bytes since the beginning.
struct RingMemory {
    /// `capacity`: a power of two.  Each message takes a multiple of `grain` bytes, a power of two from 16
    /// on; or it is half of the capacity.  `first_`: the tag of the first message, if it is asked for.
    RingMemory(std::uint64_t capacity_, std::uint64_t grain_, std::uint32_t first_ = 0)
        : capacity(capacity_),
          grain(grain_),
          first(first_)
    {
        // There is nothing where the reader will look.
        auto* const bytes = reinterpret_cast<std::byte*>(this + 1);
        std::memset(bytes, 0, sizeof(RingHead));
        if (heads_are_fixed()) std::memset(bytes + grain, 0, sizeof(RingHead));
    }

    /// Do all messages begin where a head was before?
    bool heads_are_fixed() const { return grain == capacity / 2; }
    std::atomic_ref<std::uint32_t> kind_at(std::uint64_t position)
    {
        auto* const bytes = reinterpret_cast<std::byte*>(this + 1) + (position & (capacity - 1));
        return std::atomic_ref<std::uint32_t>(*reinterpret_cast<std::uint32_t*>(bytes));
    }

    /// Bytes that the reader has done with: the writer may use them again.
    alignas(64) std::atomic<std::uint64_t> read{0};
    /// Where the first message ends whose data in the writer's memory the reader could not read; it has read
    /// none since but what lies in the arena.
    std::atomic<std::uint64_t> refused{0};
    alignas(64) const std::uint64_t capacity;
    const std::uint64_t grain;
    const std::uint32_t first;
    Mailbox next; ///< of a ring that its writer has left
    /// The writer has given up an operation: its data in its memory is another by now.
    std::atomic<bool> withdrawn{false};
    /// For a message that comes in parts: the bytes that are there.
    std::atomic<std::uint64_t> written{0};

    static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "or it would not work between processes");
};

/// Memory that the reader has just had in its first cache is slow to write again.  So messages that are not
/// small go round in this many bytes: messages of 16 and 32 KiB take 0.7 to 0.85 of the time then.  Rings
/// that a process writes into in turn share these bytes, which would not stay in its caches otherwise: with
/// 15 rings, messages of 8 KiB take 1.7 times as long if each ring goes round by itself.
constexpr std::uint64_t round_trip = std::uint64_t{128} << 10;
/// The lines of the next message that are got meanwhile, of all these rings.
constexpr std::uint64_t most_ahead = 8 << 10;

/// Bytes that a message of so many takes in a ring.
constexpr std::uint64_t ring_bytes(std::uint64_t length, std::uint64_t grain)
{
    return (sizeof(RingHead) + length + grain - 1) & ~(grain - 1);
}

/// Bytes in the ring of a message that comes in parts.  One byte more than its data: with its last byte it is
/// not complete yet, since the reader may look at the next head only when it is told that there is none.
constexpr std::uint64_t ring_bytes_in_parts(std::uint64_t length, std::uint64_t grain)
{
    return ring_bytes(length + 1, grain);
}

/// Messages that a first ring has room for, and one that has been used.
constexpr std::uint64_t a_few = 4;
constexpr std::uint64_t many = 64;

/// The least capacity of a ring for messages of this length.  There is room for many small ones: the writer
/// needs as long as for a message to learn how much was read, and with this room it need not learn it for
/// each message.  (With room for four, messages of 2 KiB take a third longer.)
constexpr std::uint64_t least_capacity(std::uint64_t length, std::uint64_t messages)
{
    constexpr std::uint64_t not_small = 8 << 10;
    return length >= not_small
               ? 2 * round_trip
               : std::min(std::bit_ceil(messages * ring_bytes(length, sizeof(RingHead))), round_trip / 2);
}

constexpr std::uint64_t smallest_ring = 256;
/// Half of a usual core's second cache: what is written is still there when it is read.  Longer messages go in
/// parts through what has just been read.  With twice that, 128 KiB took four times as long.
constexpr std::uint64_t largest_ring = std::uint64_t{512} << 10;

/// The capacity of a ring for so many messages of this length.  There is room for four at least: the sender
/// need not wait for the receiver.
constexpr std::uint64_t ring_capacity(std::uint64_t length, std::uint64_t messages)
{
    const std::uint64_t four = std::bit_ceil(4 * ring_bytes(length, sizeof(RingHead)));
    return std::min(std::max({four, smallest_ring, least_capacity(length, messages)}), largest_ring);
}

/// The writer's end.
class RingWriter {
public:
    RingWriter() = default;
    /// `begins_again`: prefers the ring's beginning when that is empty.  The rest is not free then before the
    /// reader has come by, so the writer may have to wait for that.  `before`: it is one of as many rings.
    explicit RingWriter(RingMemory* memory, bool begins_again = true, const RingWriter* before = nullptr)
        : memory_(memory),
          round_(before != nullptr ? before->round_ : std::uint32_t{round_trip}),
          ahead_(before != nullptr ? before->ahead_ : std::uint32_t{most_ahead}),
          begins_again_(begins_again),
          stores_(static_cast<std::size_t>(memory->capacity))
    {}

    /// Its process writes into so many rings in turn, this one among them.
    void be_one_of(std::size_t rings)
    {
        round_ = static_cast<std::uint32_t>(round_trip / rings);
        ahead_ = static_cast<std::uint32_t>(most_ahead / rings);
    }

    explicit operator bool() const { return memory_ != nullptr; }
    RingMemory* memory() const { return memory_; }
    std::uint64_t capacity() const { return memory_->capacity; }

    /// Does a message of this length fit in one piece, if not now then once others have been read?
    bool takes(std::uint64_t length) const
    {
        return ring_bytes(length, memory_->grain) <= memory_->capacity / 2;
    }

    /// Where to put a message in one piece; null if there is no room now.  Then commit().
    std::byte* reserve(std::uint32_t tag, std::uint64_t length,
                       RingHead::Kind kind = RingHead::Kind::message);
    void commit();
    /// For those who put it there: which stores are faster?
    FasterStores& stores() { return stores_; }
    /// Where the last message ends, and whether all up to there has been read.
    std::uint64_t position() const { return written_; }
    bool is_read(std::uint64_t position) const
    {
        return memory_->read.load(std::memory_order_acquire) >= position;
    }
    /// For a message that has been read: could its data not be read?
    bool is_refused(std::uint64_t position) const
    {
        const std::uint64_t first = memory_->refused.load(std::memory_order_relaxed);
        return first != 0 && position >= first;
    }

    /// Some messages of the ring only tell where their data lies.  That data is about to change, although
    /// receivers may not have read it.
    void withdraw() { memory_->withdrawn.store(true); }

    /// A message that comes in parts, before which no other one may come: false if there is no room for its
    /// head now.
    bool begin(std::uint32_t tag, std::uint64_t length, RingHead::Kind kind = RingHead::Kind::message);
    /// As much of its next bytes as there is room for: how much.
    std::size_t write(const std::byte* from, std::size_t bytes)
    {
        return write(bytes, [&](std::byte* to, std::size_t some) {
            std::memcpy(to, from, some);
            from += some;
        });
    }
    /// Likewise: put(address, bytes) for each stretch of the ring.
    template <class Put>
    std::size_t write(std::size_t bytes, Put put)
    {
        if (bytes == 0 || !has_room(1)) return 0;
        if (room() < bytes) has_room(bytes); // look again
        const auto some = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, room()));
        const std::uint64_t index = written_ & (memory_->capacity - 1);
        const auto first = static_cast<std::size_t>(std::min<std::uint64_t>(some, memory_->capacity - index));
        put(base() + index, first);
        put(base(), some - first);
        publish_bytes(written_ + some);
        return some;
    }
    /// All has been written.  False if there is no room now to say that nothing follows.
    bool end();

    /// May all that follows be in another ring?  Not in the middle of a message that comes in parts.
    bool can_move() const { return !in_parts_; }
    /// All that follows is in another ring.  Room for a head is kept behind each message.
    void move_to(std::uint64_t offset);
    /// There is no other ring: say that memory()->next tells how all that follows comes.
    void leave();

    /// Room for half of the ring?
    bool is_half_free() { return has_room(memory_->capacity / 2); }
    /// Has all been read?
    bool is_drained() const { return memory_->read.load(std::memory_order_acquire) == written_; }

private:
    std::byte* base() const { return reinterpret_cast<std::byte*>(memory_ + 1); }
    /// Is the ring empty, and has its beginning been used lately, but not just now?  Then that is in a cache,
    /// other than what lies ahead.
    bool may_begin_again(std::uint64_t bytes, std::uint64_t index);
    std::uint64_t room() const { return memory_->capacity - (written_ - read_); }
    bool has_room(std::uint64_t bytes);
    void prefetch(std::uint64_t bytes);
    /// All of a head but its kind.
    void put_head(std::uint64_t position, std::uint32_t tag, std::uint64_t length);
    void publish(std::uint64_t position, std::uint32_t kind)
    {
        memory_->kind_at(position).store(kind, std::memory_order_release);
    }
    /// Nothing has come yet that begins there, where the reader does not look yet.
    void put_nothing(std::uint64_t position);
    /// Bytes that must be free behind a message.
    std::uint64_t behind() const { return memory_->heads_are_fixed() ? 0 : sizeof(RingHead); }
    void publish_bytes(std::uint64_t written)
    {
        written_ = written;
        memory_->written.store(written, std::memory_order_release);
    }

    RingMemory* memory_ = nullptr;
    std::uint32_t round_ = round_trip;
    std::uint32_t ahead_ = most_ahead;
    std::uint64_t written_ = 0;
    // The message that is being written: where it begins, what `written_` will be, and its kind.
    std::uint64_t begin_ = 0;
    std::uint64_t reserved_ = 0;
    std::uint64_t read_ = 0; // as last seen
    RingHead::Kind kind_ = RingHead::Kind::nothing;
    bool in_parts_ = false; // a message has been begun
    bool begins_again_ = true;
    FasterStores stores_;
};

/// The reader's end.
class RingReader {
public:
    RingReader() = default;
    /// `arena`: where the writer's begins here.  `offset`: where the ring is.
    explicit RingReader(std::byte* arena) : arena_(arena) {}
    RingReader(std::byte* arena, std::uint64_t offset) : arena_(arena) { go_to(offset); }

    explicit operator bool() const { return memory_ != nullptr; }
    std::uint32_t first() const { return memory_->first; }

    /// Is the message with this tag here, or the beginning of it?  Messages with tags before it, which nobody
    /// has asked for, are thrown away.  Tags are numbers in turn, from the last one on to 0 again.
    bool open(std::uint32_t tag) { return (open_ || has_come()) && find(tag); }
    /// Has the writer left the ring, and all before that been read?
    bool is_left() const;
    /// Then: how what follows comes.
    const Mailbox& next() const { return memory_->next; }
    /// That is no longer looked at.
    void close_left() { give_back(read_ + sizeof(RingHead)); }
    /// Bytes of the message that is open.
    std::uint64_t length() const { return length_; }
    RingHead::Kind kind() const { return kind_; }
    /// Where the writer's arena begins here.
    std::byte* arena() const { return arena_; }
    /// Bytes of it that have not been read.
    std::size_t left() const { return static_cast<std::size_t>(length_ - next_); }
    /// All of the message; null if it comes in parts.
    const std::byte* whole() const;
    /// The next bytes of one in parts, as many as are here; `to` may be null.
    std::size_t read(std::byte* to, std::size_t bytes)
    {
        return read(bytes, [&](const std::byte* from, std::size_t some) {
            if (to == nullptr) return;
            std::memcpy(to, from, some);
            to += some;
        });
    }
    /// Likewise: take(address, bytes) for each stretch of the ring.
    template <class Take>
    std::size_t read(std::size_t bytes, Take take)
    {
        if (bytes == 0) return 0;
        if (next_ == 0) {
            // The head goes back with the first bytes.
            if (!has(sizeof(RingHead) + 1)) return 0;
            read_ += sizeof(RingHead);
        }
        if (!has(1)) return 0;
        const auto some = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, written_ - read_));
        const std::uint64_t index = read_ & (memory_->capacity - 1);
        const auto first = static_cast<std::size_t>(std::min<std::uint64_t>(some, memory_->capacity - index));
        take(base() + index, first);
        take(base(), some - first);
        next_ += some;
        give_back(read_ + some);
        return some;
    }
    /// Has all of it come, and what tells that nothing follows?
    bool is_complete();
    /// The data of the message, which is whole, cannot be read where it lies.  Its writer sends it again.
    void refuse();
    bool has_refused() const { return memory_->refused.load(std::memory_order_relaxed) != 0; }
    /// Was the data that has been read where it lies perhaps another by then?
    bool is_withdrawn() const
    {
        std::atomic_thread_fence(std::memory_order_acquire);
        return memory_->withdrawn.load(std::memory_order_relaxed);
    }
    /// Done with the message, which is complete: all of it has been read, or was whole.
    void close();

private:
    const std::byte* base() const { return reinterpret_cast<const std::byte*>(memory_ + 1); }
    /// Is there something where the next message begins?
    bool has_come() const
    {
        return memory_->kind_at(read_).load(std::memory_order_acquire) != word(RingHead::Kind::nothing);
    }
    bool find(std::uint32_t tag);
    void go_to(std::uint64_t offset);
    /// For a message in parts: are there so many bytes that have not been read?
    bool has(std::uint64_t bytes);
    std::uint64_t end() const
    {
        return begin_ + (in_parts_ ? ring_bytes_in_parts(length_, memory_->grain)
                                   : ring_bytes(length_, memory_->grain));
    }
    void give_back(std::uint64_t read)
    {
        read_ = read;
        release_in_watcher(arena_);
        memory_->read.store(read, std::memory_order_release);
    }

    std::byte* arena_ = nullptr;
    RingMemory* memory_ = nullptr;
    std::uint64_t read_ = 0;    // where the next message begins, or the next bytes of one in parts
    std::uint64_t written_ = 0; // as last seen
    // These describe the message that is open.
    bool open_ = false;
    bool in_parts_ = false;
    RingHead::Kind kind_ = RingHead::Kind::message;
    std::uint32_t tag_ = 0;
    std::uint64_t length_ = 0;
    std::uint64_t begin_ = 0; // of its head
    std::uint64_t next_ = 0;  // byte of it to be read
};

// Inline, since every message comes by these.

inline bool RingWriter::has_room(std::uint64_t bytes)
{
    if (room() >= bytes) return true;
    read_ = memory_->read.load(std::memory_order_acquire);
    return room() >= bytes;
}

inline void RingWriter::put_head(std::uint64_t position, std::uint32_t tag, std::uint64_t length)
{
    std::byte* const head = base() + (position & (memory_->capacity - 1));
    std::memcpy(head + offsetof(RingHead, tag), &tag, sizeof tag);
    std::memcpy(head + offsetof(RingHead, length), &length, sizeof length);
}

inline void RingWriter::put_nothing(std::uint64_t position)
{
    // Where heads are fixed the reader does it: the message there may not have been read.
    if (memory_->heads_are_fixed()) return;
    memory_->kind_at(position).store(word(RingHead::Kind::nothing), std::memory_order_relaxed);
}

inline bool RingWriter::may_begin_again(std::uint64_t bytes, std::uint64_t index)
{
    if (!begins_again_ || index < std::max<std::uint64_t>(bytes + behind(), round_) ||
        memory_->heads_are_fixed())
        return false;
    read_ = memory_->read.load(std::memory_order_acquire);
    return read_ == written_;
}

inline std::byte* RingWriter::reserve(std::uint32_t tag, std::uint64_t length, RingHead::Kind kind)
{
    if (in_parts_) return nullptr;
    const std::uint64_t bytes = ring_bytes(length, memory_->grain);
    const std::uint64_t index = written_ & (memory_->capacity - 1);
    const std::uint64_t to_end = memory_->capacity - index;
    std::uint64_t begin = written_;
    if (bytes > to_end || may_begin_again(bytes, index)) {
        if (!has_room(to_end + bytes + behind())) return nullptr;
        begin += to_end;
    } else if (!has_room(bytes + behind())) {
        return nullptr;
    }
    put_head(begin, tag, length);
    begin_ = begin;
    kind_ = kind;
    reserved_ = begin + bytes;
    return base() + (begin & (memory_->capacity - 1)) + sizeof(RingHead);
}

inline void RingWriter::commit()
{
    put_nothing(reserved_);
    publish(begin_, word(kind_));
    if (begin_ != written_) {
        // The reader gets to the message by this.
        put_head(written_, 0, begin_ - written_ - sizeof(RingHead));
        publish(written_, word(RingHead::Kind::skip));
    }
    const std::uint64_t bytes = reserved_ - begin_;
    written_ = reserved_;
    prefetch(bytes);
}

/// The next message is like the last one.  Its head's line is not for us yet: the reader looks at it.
inline void RingWriter::prefetch(std::uint64_t bytes)
{
    if (!stores_.may_prefetch()) return;
    constexpr std::uint64_t line = 64;
    const std::uint64_t index = written_ & (memory_->capacity - 1);
    const std::uint64_t end = std::min(memory_->capacity, index + std::min<std::uint64_t>(bytes, ahead_));
    for (std::uint64_t i = (index | (line - 1)) + 1; i < end; i += line) prefetch_to_write(base() + i);
}

inline const std::byte* RingReader::whole() const
{
    return in_parts_ ? nullptr : base() + (begin_ & (memory_->capacity - 1)) + sizeof(RingHead);
}

inline void RingReader::close()
{
    open_ = false;
    if (memory_->heads_are_fixed())
        memory_->kind_at(begin_).store(word(RingHead::Kind::nothing), std::memory_order_relaxed);
    give_back(end());
}

/// Asks a mailbox for the ring of an operation's messages.  If it leads to a ring, that is `ring` now;
/// `arena`: where the writer's begins here.
Found find_ring(std::byte* arena, const Mailbox& mailbox, std::uint32_t number, RingReader& ring);

} // namespace ortho::nodequeue
