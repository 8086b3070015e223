// SPDX-License-Identifier: BSD-3-Clause
// A line between two processes of a node.  No MPI in this file.

#include "shared/line.hpp"

#include <algorithm>
#include <bit>
#include <new>

#include "base/error.hpp"

namespace ortho::shared {

namespace {

constexpr std::uint64_t finest = sizeof(RingHead);

} // namespace

Sender::Sender(Arena& arena, std::uint64_t length, std::uint64_t most) : arena_(arena), may_grow_(false)
{
    std::uint64_t capacity = 2 * std::bit_ceil(ring_bytes(length, finest));
    in_parts_ = capacity > most;
    if (in_parts_) capacity = std::bit_floor(most);
    if (RingMemory* const memory = make(capacity, in_parts_ ? finest : capacity / 2)) ring_ = RingWriter(memory);
}

Sender::~Sender() { retire(); }

void Sender::retire()
{
    if (!ring_) return;
    arena_.release_later(reinterpret_cast<std::byte*>(ring_.memory()), [ring = ring_] { return ring.is_drained(); });
}

RingMemory* Sender::make(std::uint64_t capacity, std::uint64_t grain)
{
    std::byte* const block = arena_.allocate(sizeof(RingMemory) + capacity);
    return block == nullptr ? nullptr : new (block) RingMemory(capacity, grain);
}

bool Sender::grow(std::uint64_t length)
{
    // Not a new one at each look, only to find that there is no room to say so.
    if (ring_ && !ring_.can_move()) return false;
    // Room for a few more of this length, that the sender need not wait for the receiver's turn.
    const std::uint64_t capacity =
        std::clamp(std::bit_ceil(4 * ring_bytes(length, finest)), ring_ ? 2 * ring_.capacity() : smallest, largest);
    RingMemory* memory = make(capacity, finest);
    if (memory == nullptr && !ring_) memory = make(smallest, finest);
    if (memory == nullptr) {
        base::require(static_cast<bool>(ring_), base::ErrorKind::memory, "comm",
                      "no memory that the processes of the node share is left (ORTHO_SHM=0 does without)");
        may_grow_ = false; // what there is will do
        return true;
    }
    const std::uint64_t offset = arena_.offset_of(memory);
    if (!ring_) {
        ring_ = RingWriter(memory);
        post_->store(offset, std::memory_order_release);
    } else {
        ring_.move_to(offset);
        retire();
        ring_ = RingWriter(memory);
    }
    may_grow_ = ring_.capacity() < largest;
    return true;
}

std::byte* Sender::reserve(std::uint32_t tag, std::uint64_t length, RingHead::Kind kind)
{
    if ((!ring_ || !ring_.takes(length)) && may_grow_ && !grow(length)) return nullptr;
    return ring_.takes(length) ? ring_.reserve(tag, length, kind) : nullptr;
}

} // namespace ortho::shared
