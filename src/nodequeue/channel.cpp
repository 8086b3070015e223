// SPDX-License-Identifier: BSD-3-Clause
// A channel between two processes of a node.  No MPI in this file.

#include "nodequeue/channel.hpp"

#include <algorithm>
#include <bit>
#include <new>

namespace ortho::nodequeue {

namespace {

constexpr std::uint64_t finest = sizeof(RingHead);

} // namespace

Sender::Sender(Arena& arena, std::uint64_t length, std::uint64_t most) : arena_(arena)
{
    const std::uint64_t half = std::bit_ceil(ring_bytes(length, finest));
    in_parts_ = !has_room_for_two(length, most);
    // Two halves, or a longer way round: a half of that has room for a message, and what is not used before
    // the end.  There may be very many such channels.
    const std::uint64_t round = least_capacity(length, 2 * a_few);
    const bool goes_round = !in_parts_ && 4 * half <= round;
    const std::uint64_t capacity = in_parts_ ? std::bit_floor(most) : goes_round ? round : 2 * half;
    if (RingMemory* const memory = make(capacity, in_parts_ || goes_round ? finest : half, 0))
        take(memory, in_parts_);
}

bool Sender::has_room_for_two(std::uint64_t length, std::uint64_t most)
{
    return 2 * std::bit_ceil(ring_bytes(length, finest)) <= most;
}

Sender::~Sender()
{
    std::vector<std::byte*> blocks;
    // A mailbox that has told a receiver of no ring stays for good.
    if (owns_mailbox_ && !has_none_) blocks.push_back(reinterpret_cast<std::byte*>(mailbox_));
    if (ring_)
        retire(std::move(blocks));
    else if (!blocks.empty())
        arena_.release(blocks.front());
}

void Sender::retire(std::vector<std::byte*> blocks)
{
    blocks.push_back(reinterpret_cast<std::byte*>(ring_.memory()));
    arena_.release_later(std::move(blocks), [ring = ring_] { return ring.is_drained(); });
}

RingMemory* Sender::make(std::uint64_t capacity, std::uint64_t its_grain, std::uint32_t first)
{
    std::byte* const block = arena_.allocate(sizeof(RingMemory) + capacity);
    return block == nullptr ? nullptr : new (block) RingMemory(capacity, its_grain, first);
}

bool Sender::make_first(std::uint32_t number, std::uint64_t length)
{
    if (has_none_ && last_ == number) return false;
    RingMemory* memory = make(ring_capacity(length, a_few), finest, number);
    if (memory == nullptr) memory = make(smallest_ring, finest, number);
    if (memory == nullptr) {
        has_none_ = true;
        last_ = number;
        mailbox_->tell_no_ring(number);
        return false;
    }
    take(memory);
    mailbox_->tell_ring(arena_.offset_of(memory));
    return true;
}

/// If there is memory for a larger ring, and room to tell of it.
void Sender::grow(std::uint64_t length)
{
    // Not a new one at each look, only to find that.
    if (posts_ > 0 || !ring_.can_move()) return;
    const std::uint64_t twice = std::min(2 * ring_.capacity(), largest_ring);
    RingMemory* const memory = make(std::max(twice, ring_capacity(length, messages())), finest, 0);
    if (memory == nullptr) {
        // The ring that is there will do for a while.
        constexpr std::uint8_t most_failures = 10;
        if (failures_ < most_failures) ++failures_;
        skip_ = static_cast<std::uint16_t>(1U << failures_);
        return;
    }
    failures_ = 0;
    ring_.move_to(arena_.offset_of(memory));
    retire({});
    take(memory);
}

std::uint64_t Sender::post()
{
    ring_.commit();
    ++posts_;
    return ring_.position();
}

bool Sender::begin(std::uint32_t number, std::uint64_t length, RingHead::Kind kind)
{
    if (!ring_.begin(number, length, kind)) return false;
    if (skip_ > 0) --skip_;
    return true;
}

Found Receiver::open_by_mailbox(std::uint32_t number)
{
    const Found found = find_ring(ring_.arena(), *mailbox_, number, ring_);
    if (found != Found::message) return found;
    mailbox_ = nullptr;
    return ring_.open(number) ? Found::message : Found::nothing;
}

} // namespace ortho::nodequeue
