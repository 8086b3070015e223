// SPDX-License-Identifier: BSD-3-Clause
// A channel between two processes of a node whose sender never waits: rings, one behind the other.  No MPI in
// this file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "nodequeue/arena.hpp"
#include "nodequeue/ring.hpp"

namespace ortho::nodequeue {

/// The end that messages go into.  When a ring is full the next one is made, however many messages nobody has
/// read yet.  Without memory for it messages come another way, as the receiver is told.
class UnboundedSender {
public:
    /// `mailbox`: where the receiver looks for the first ring.
    UnboundedSender(Arena& arena, Mailbox& mailbox) : arena_(arena), mailbox_(&mailbox) {}
    ~UnboundedSender();
    UnboundedSender(const UnboundedSender&) = delete;
    UnboundedSender& operator=(const UnboundedSender&) = delete;

    /// Where to put a message of an operation; then commit().  Null if there is no memory: the receiver is
    /// told that this message, and all later ones of this operation, come another way.
    std::byte* reserve(std::uint32_t number, std::uint64_t length,
                       RingHead::Kind kind = RingHead::Kind::message);
    /// Announces a message that comes another way, but is looked for here, too.  False if there is no memory.
    bool announce(std::uint32_t number)
    {
        return reserve(number, 0, RingHead::Kind::announcement) != nullptr;
    }
    void commit() { ring_.commit(); }
    FasterStores& stores() { return ring_.stores(); }
    /// Longer messages are not to be put in.
    static constexpr std::uint64_t longest = std::uint64_t{1} << 20;

    /// Was the receiver told that messages come another way, last of all?  It may look at that at any time.
    bool has_told_of_none() const { return has_told_ && !ring_; }
    /// The ring, if there is one, which is the caller's to release from now on.
    RingWriter take_ring() { return std::exchange(ring_, {}); }

private:
    static constexpr std::uint64_t smallest = std::uint64_t{4} << 10;
    static constexpr std::uint64_t largest = std::uint64_t{1} << 20;

    void retire();

    Arena& arena_;
    Mailbox* mailbox_; ///< where the receiver looks while there is no ring
    RingWriter ring_;
    bool has_told_ = false;  // that messages come another way, in this mailbox
    std::uint32_t last_ = 0; // then: the last operation that it was told of
};

/// The end that they come out of.
class UnboundedReceiver {
public:
    /// `arena`: where the sender's begins here.
    UnboundedReceiver(std::byte* arena, const Mailbox& mailbox) : arena_(arena), mailbox_(&mailbox) {}

    /// Where is an operation's next message?  Operations ask in the order of their numbers.
    Found find(std::uint32_t number);
    // These describe a message that is here.
    bool is_announcement() const { return ring_.kind() == RingHead::Kind::announcement; }
    std::size_t length() const { return static_cast<std::size_t>(ring_.length()); }
    const std::byte* row() const { return ring_.whole(); }
    void close() { ring_.close(); }

private:
    std::byte* arena_;
    const Mailbox* mailbox_; // null while messages come from the ring
    RingReader ring_;
};

} // namespace ortho::nodequeue
