// SPDX-License-Identifier: BSD-3-Clause
// A line between two processes of a node: rings, one after the other as messages grow.  No MPI in this file.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "shared/arena.hpp"
#include "shared/ring.hpp"

namespace ortho::shared {

/// The end that messages go into.
class Sender {
public:
    /// A line whose first ring is made for its first message, and whose offset is then stored in `post`,
    /// which the receiver looks at.
    Sender(Arena& arena, std::atomic<std::uint64_t>& post) : arena_(arena), post_(&post) {}
    /// A line with room for two messages of up to so many bytes; if they are larger than `most`, with a
    /// ring of that size, which they go through in parts.  Without memory it is not there().
    Sender(Arena& arena, std::uint64_t length, std::uint64_t most);
    ~Sender();
    Sender(const Sender&) = delete;
    Sender& operator=(const Sender&) = delete;

    bool there() const { return static_cast<bool>(ring_); }
    /// Of the ring in the arena.
    std::uint64_t offset() const { return arena_.offset_of(ring_.memory()); }

    /// Where to put a message in one piece; null if there is no room now, or there never will be.  Then
    /// ring().commit().  Throws base::Error (memory) if there is no memory for a first ring.
    std::byte* reserve(std::uint32_t tag, std::uint64_t length, RingHead::Kind kind = RingHead::Kind::message);
    /// Will there never be?  Then it goes in parts.
    bool too_small_for(std::uint64_t length) const { return ring_ && !may_grow_ && !ring_.takes(length); }
    RingWriter& ring() { return ring_; }
    const RingWriter& ring() const { return ring_; }

    /// Of a line for two messages: are they too large for that?
    bool in_parts() const { return in_parts_; }
    /// Of a line for two messages: is there room for one more?
    bool is_ready() { return post_ != nullptr || in_parts_ || ring_.is_half_free(); }

private:
    static constexpr std::uint64_t smallest = std::uint64_t{4} << 10;
    static constexpr std::uint64_t largest = std::uint64_t{1} << 20;

    bool grow(std::uint64_t length);
    RingMemory* make(std::uint64_t capacity, std::uint64_t grain);
    void retire();

    Arena& arena_;
    std::atomic<std::uint64_t>* post_ = nullptr;
    RingWriter ring_;
    bool may_grow_ = true;
    bool in_parts_ = false;
};

/// The end that they come out of.
class Receiver {
public:
    Receiver() = default;
    /// Of a line that is posted.  `arena`: where the sender's begins here.
    Receiver(std::byte* arena, const std::atomic<std::uint64_t>& post) : arena_(arena), post_(&post) {}

    /// Of a line whose ring is known.
    void connect(std::byte* arena, std::uint64_t offset) { ring_ = RingReader(arena, offset); }

    /// As RingReader::open().
    bool open(std::uint32_t tag)
    {
        if (!ring_) {
            const std::uint64_t offset = post_->load(std::memory_order_acquire);
            if (offset == 0) return false; // nothing was ever sent
            ring_ = RingReader(arena_, offset);
        }
        return ring_.open(tag);
    }
    RingReader& ring() { return ring_; }

private:
    std::byte* arena_ = nullptr;
    const std::atomic<std::uint64_t>* post_ = nullptr;
    RingReader ring_;
};

} // namespace ortho::shared
