// SPDX-License-Identifier: BSD-3-Clause
// A channel between two processes of a node: rings, one after the other as messages grow.  No MPI in this
// file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "nodequeue/arena.hpp"
#include "nodequeue/ring.hpp"

namespace ortho::nodequeue {

/// The end that messages go into.
class Sender {
public:
    /// A channel whose first ring is made for its first message, and whose offset is then stored in
    /// `mailbox`, which the receiver looks at.  `owns_mailbox`: that is a block of the arena, to be released
    /// with the channel.
    Sender(Arena& arena, Mailbox& mailbox, bool owns_mailbox)
        : arena_(arena),
          mailbox_(&mailbox),
          owns_mailbox_(owns_mailbox)
    {}
    /// A channel with room for two messages of up to so many bytes; if they are larger than `most`, with a
    /// ring of that size, which they go through in parts.  Without memory it is not there().
    Sender(Arena& arena, std::uint64_t length, std::uint64_t most);
    /// One that leads nowhere: its messages come another way, as the receiver is told.
    explicit Sender(Arena& arena) : arena_(arena), leads_nowhere_(true) {}
    ~Sender();
    Sender(const Sender&) = delete;
    Sender& operator=(const Sender&) = delete;

    /// Would the latter take a message of this length in one piece?
    static bool has_room_for_two(std::uint64_t length, std::uint64_t most);

    /// Its process sends into so many channels in turn, this one among them.
    void be_one_of(std::size_t channels) { ring_.be_one_of(channels); }

    bool there() const { return static_cast<bool>(ring_); }
    /// Was a receiver told that there is no ring?  It may look at that at any time.
    bool has_told_of_none() const { return has_none_; }
    /// The ring, which is the caller's to release from now on.
    RingWriter take_ring() { return std::exchange(ring_, {}); }
    /// Where the ring is in the arena.
    std::uint64_t offset() const { return arena_.offset_of(ring_.memory()); }

    /// Is there a ring for a message of an operation, or memory for one?  If not, the receiver is told that
    /// this operation's messages come another way, and the answer stays the same for all of them.
    bool open(std::uint32_t number, std::uint64_t length) { return ring_ || make_first(number, length); }

    /// Where to put a message in one piece; null if there is no room now, or there never will be.  Then
    /// ring().commit().  The channel must be open.
    std::byte* reserve(std::uint32_t number, std::uint64_t length,
                       RingHead::Kind kind = RingHead::Kind::message)
    {
        if (is_small_for(length) && may_grow()) grow(length);
        return ring_.takes(length) ? ring_.reserve(number, length, kind) : nullptr;
    }
    /// Will there never be?  Then it goes in parts.
    bool too_small_for(std::uint64_t length) const { return ring_ && !may_grow() && !ring_.takes(length); }
    /// A message that goes in parts: false if there is no room for its head now.
    bool begin(std::uint32_t number, std::uint64_t length, RingHead::Kind kind = RingHead::Kind::message);
    /// In place of ring().commit(): a message that tells where its data lies.  Returns where it ends in the
    /// ring, which stays the same until done_with_post().
    std::uint64_t post();
    void done_with_post() { --posts_; }
    /// Has the receiver not refused to read this process's memory yet?
    bool may_be_read() const { return may_be_read_; }
    void may_not_be_read() { may_be_read_ = false; }
    RingWriter& ring() { return ring_; }

    /// For a channel for two messages: is there room for one more?
    bool is_ready() { return mailbox_ != nullptr || leads_nowhere_ || in_parts_ || ring_.is_half_free(); }
    bool leads_nowhere() const { return leads_nowhere_; }

private:
    /// The messages that the next ring has room for.  A program may have very many channels that it seldom uses.
    std::uint64_t messages() const
    {
        constexpr std::uint64_t rounds = 8;
        return ring_.position() < rounds * ring_.capacity() ? a_few : many;
    }
    bool is_small_for(std::uint64_t length) const
    {
        if (!ring_.takes(length)) return true;
        return ring_.capacity() < least_capacity(length, many) &&
               ring_.capacity() < least_capacity(length, messages());
    }
    bool may_grow() const { return mailbox_ != nullptr && skip_ == 0 && ring_.capacity() < largest_ring; }
    bool make_first(std::uint32_t number, std::uint64_t length);
    void grow(std::uint64_t length);
    RingMemory* make(std::uint64_t capacity, std::uint64_t its_grain, std::uint32_t first);
    void take(RingMemory* memory, bool begins_again = true)
    {
        ring_ = RingWriter(memory, begins_again, &ring_);
    }
    void retire(std::vector<std::byte*> blocks);

    Arena& arena_;
    Mailbox* mailbox_ = nullptr;
    bool owns_mailbox_ = false;
    bool leads_nowhere_ = false;
    bool in_parts_ = false;
    bool may_be_read_ = true;
    bool has_none_ = false;     // there was no memory for a first ring
    std::uint8_t failures_ = 0; // to grow, in a row
    std::uint16_t skip_ = 0;    // messages too large for the ring that go in parts before it is tried again
    std::uint32_t last_ = 0;    // if there was no memory: the last operation that was told so
    std::uint32_t posts_ = 0;   // messages that tell where their data lies, and have not been read
    RingWriter ring_;
};

/// The end that they come out of.
class Receiver {
public:
    Receiver() = default;
    /// For a channel that is posted.  `arena`: where the sender's arena begins here.
    Receiver(std::byte* arena, const Mailbox& mailbox) : mailbox_(&mailbox), ring_(arena) {}

    /// For a channel whose ring is known.
    void connect(std::byte* arena, std::uint64_t offset) { ring_ = RingReader(arena, offset); }
    /// For a channel that is posted.
    void watch(std::byte* arena, const Mailbox& mailbox)
    {
        ring_ = RingReader(arena);
        mailbox_ = &mailbox;
    }

    bool leads_nowhere() const { return mailbox_ == nullptr && !ring_; }

    /// Is an operation's next message here, or the beginning of it, as RingReader::open()?
    Found open(std::uint32_t number)
    {
        if (mailbox_ != nullptr) return open_by_mailbox(number);
        return ring_.open(number) ? Found::message : Found::nothing;
    }
    RingReader& ring() { return ring_; }

private:
    Found open_by_mailbox(std::uint32_t number);

    const Mailbox* mailbox_ = nullptr; // until the first ring is in use
    RingReader ring_;
};

} // namespace ortho::nodequeue
