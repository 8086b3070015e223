// SPDX-License-Identifier: BSD-3-Clause
// A queue of messages from one process to another in memory that both see.  No MPI in this file.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace ortho::shared {

/// What the two have in common, in the writer's arena; the ring's bytes follow.  Each counter has one
/// writer, and counts bytes since the beginning: what lies between `read` and `written` is the reader's,
/// the rest the writer's.  A release store of a counter hands bytes over, an acquire load takes them.
struct RingMemory {
    /// `capacity`: a power of two.  Each message takes a multiple of `grain` bytes, one of 16 and
    /// a divisor of the capacity.  `first_`: the tag of the first message, if it is asked for.
    RingMemory(std::uint64_t capacity_, std::uint64_t grain_, std::uint32_t first_ = 0)
        : capacity(capacity_),
          grain(grain_),
          first(first_)
    {}

    alignas(64) std::atomic<std::uint64_t> written{0};
    alignas(64) std::atomic<std::uint64_t> read{0};
    /// Where the first message ends whose data the reader could not read; it has read none since.
    std::atomic<std::uint64_t> refused{0};
    alignas(64) const std::uint64_t capacity;
    const std::uint64_t grain;
    const std::uint32_t first;

    static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "or it would not work between processes");
};

/// What a message begins with.
struct RingHead {
    enum class Kind : std::uint32_t {
        message,
        mapped, ///< one that tells where its data lies, in the writer's arena
        remote, ///< the same, in memory of the writer's process
        again,  ///< one whose data the reader could not read, once more
        skip,   ///< the ring's last bytes are not used
        moved,  ///< what follows is in another ring, at offset `length` of the writer's arena
    };

    Kind kind;
    std::uint32_t tag;
    std::uint64_t length; ///< of what follows the head
};

/// Bytes that a message of so many takes in a ring.
constexpr std::uint64_t ring_bytes(std::uint64_t length, std::uint64_t grain)
{
    return (sizeof(RingHead) + length + grain - 1) / grain * grain;
}

/// The writer's end.
class RingWriter {
public:
    RingWriter() = default;
    explicit RingWriter(RingMemory* memory)
        : memory_(memory),
          bytes_(reinterpret_cast<std::byte*>(memory + 1))
    {}

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
    void commit() { publish(reserved_); }
    /// Where the last message ends, and whether all up to there has been read.
    std::uint64_t position() const { return written_; }
    bool is_read(std::uint64_t position) const
    {
        return memory_->read.load(std::memory_order_acquire) >= position;
    }
    /// Of a message that has been read: could its data not be read?
    bool is_refused(std::uint64_t position) const
    {
        const std::uint64_t first = memory_->refused.load(std::memory_order_relaxed);
        return first != 0 && position >= first;
    }

    /// A message that comes in parts, before which no other one may come: false if there is no room for its
    /// head now.
    bool begin(std::uint32_t tag, std::uint64_t length, RingHead::Kind kind = RingHead::Kind::message);
    /// As much of its next bytes as there is room for: how much.
    std::size_t write(const std::byte* from, std::size_t bytes);
    /// All has been written.  False if the ring is too full to say so now.
    bool end();

    /// Is there room to say that all that follows is in another ring?  If so, say it.
    bool can_move() { return has_room(sizeof(RingHead)); }
    void move_to(std::uint64_t offset);

    /// Room for half of the ring?
    bool is_half_free() { return has_room(memory_->capacity / 2); }
    /// Has all been read?
    bool is_drained() const { return memory_->read.load(std::memory_order_acquire) == written_; }

private:
    /// Is the ring empty, and has its beginning been used lately?  Then that is in the cache, other than what
    /// lies ahead.
    bool may_begin_again(std::uint64_t bytes, std::uint64_t index);
    std::uint64_t room() const { return memory_->capacity - (written_ - read_); }
    bool has_room(std::uint64_t bytes);
    void put_head(std::uint64_t position, const RingHead& head);
    void publish(std::uint64_t written)
    {
        written_ = written;
        memory_->written.store(written, std::memory_order_release);
    }

    RingMemory* memory_ = nullptr;
    std::byte* bytes_ = nullptr;
    std::uint64_t written_ = 0;
    std::uint64_t reserved_ = 0; // what `written_` will be
    std::uint64_t read_ = 0;     // as last seen
    bool in_parts_ = false;      // a message has been begun
};

/// The reader's end.
class RingReader {
public:
    RingReader() = default;
    /// `arena`: where the writer's begins here.
    RingReader(std::byte* arena, std::uint64_t offset) : arena_(arena) { go_to(offset); }

    explicit operator bool() const { return memory_ != nullptr; }
    std::uint32_t first() const { return memory_->first; }

    /// Is the message with this tag here, or the beginning of it?  Messages with tags before it, which nobody
    /// has asked for, are thrown away.  Tags are numbers in turn, from the last one on to 0 again.
    bool open(std::uint32_t tag);
    /// Of the message that is open.
    std::uint64_t length() const { return length_; }
    RingHead::Kind kind() const { return kind_; }
    /// Where the writer's arena begins here.
    std::byte* arena() const { return arena_; }
    /// Bytes of it that have not been read.
    std::size_t left() const { return static_cast<std::size_t>(length_ - next_); }
    /// All of the message, if it is here, in one piece, and nothing of it has been read; else null.
    const std::byte* whole();
    /// The message's next bytes, as many as are here; `to` may be null.
    std::size_t read(std::byte* to, std::size_t bytes);
    /// Of the message, which is whole: its data cannot be read where it lies.  Its writer sends it again.
    void refuse();
    bool has_refused() const { return memory_->refused.load(std::memory_order_relaxed) != 0; }
    /// Done with the message: all of it has been read, or was whole.
    void close();

private:
    void go_to(std::uint64_t offset);
    bool has(std::uint64_t bytes);
    void give_back(std::uint64_t read)
    {
        read_ = read;
        memory_->read.store(read, std::memory_order_release);
    }

    std::byte* arena_ = nullptr;
    RingMemory* memory_ = nullptr;
    const std::byte* bytes_ = nullptr;
    std::uint64_t read_ = 0;
    std::uint64_t written_ = 0; // as last seen
    // Of the message that is open.
    bool open_ = false;
    RingHead::Kind kind_ = RingHead::Kind::message;
    std::uint32_t tag_ = 0;
    std::uint64_t length_ = 0;
    std::uint64_t begin_ = 0; // of its head
    std::uint64_t next_ = 0;  // byte of it to be read
};

} // namespace ortho::shared
