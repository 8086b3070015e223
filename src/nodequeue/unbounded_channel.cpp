// SPDX-License-Identifier: BSD-3-Clause
// A channel between two processes of a node whose sender never waits.  No MPI in this file.

#include "nodequeue/unbounded_channel.hpp"

#include <algorithm>
#include <bit>
#include <new>

namespace ortho::nodequeue {

namespace {

constexpr std::uint64_t message_grain = sizeof(RingHead);

} // namespace

UnboundedSender::~UnboundedSender()
{
    if (ring_) retire();
}

/// Its memory goes when all has been read.
void UnboundedSender::retire()
{
    std::byte* const memory = reinterpret_cast<std::byte*>(ring_.memory());
    arena_.release_later({memory}, [ring = ring_] { return ring.is_drained(); });
    ring_ = {};
}

[[gnu::hot]] std::byte* UnboundedSender::reserve(std::uint32_t number, std::uint64_t length,
                                                 RingHead::Kind kind)
{
    if (ring_ && ring_.takes(length))
        if (std::byte* const row = ring_.reserve(number, length, kind)) return row;
    if (!ring_ && has_told_ && last_ == number) return nullptr; // the others of this operation go with it

    // Room for a few more, that not each of them makes a ring: for one that has not been read, for what is
    // not used before the ring's end, and for this one, at the least.
    const std::uint64_t one = ring_bytes(length, message_grain);
    const std::uint64_t least = ring_ ? std::min(2 * ring_.capacity(), largest) : smallest;
    const std::uint64_t bytes = std::max({std::bit_ceil(3 * one + message_grain),
                                          std::min(4 * std::bit_ceil(one), largest), least,
                                          least_capacity(length, many)});
    std::byte* const block = arena_.allocate(sizeof(RingMemory) + bytes);
    if (block == nullptr) {
        if (ring_) {
            mailbox_ = &ring_.memory()->next;
            mailbox_->tell_no_ring(number);
            ring_.leave();
            retire();
        } else {
            mailbox_->tell_no_ring(number);
        }
        has_told_ = true;
        last_ = number;
        return nullptr;
    }
    auto* const memory = new (block) RingMemory(bytes, message_grain, number);
    if (ring_) {
        ring_.move_to(arena_.offset_of(memory));
        retire();
    } else {
        mailbox_->tell_ring(arena_.offset_of(memory));
    }
    has_told_ = false;
    ring_ = RingWriter(memory, false);
    return ring_.reserve(number, length, kind);
}

[[gnu::hot]] Found UnboundedReceiver::find(std::uint32_t number)
{
    if (mailbox_ == nullptr) {
        if (ring_.open(number)) return Found::message;
        if (!ring_.is_left()) return Found::nothing;
        mailbox_ = &ring_.next();
    }
    RingReader ring;
    const Found found = find_ring(arena_, *mailbox_, number, ring);
    if (found != Found::message) return found;
    if (ring_) ring_.close_left();
    ring_ = ring;
    mailbox_ = nullptr;
    return ring_.open(number) ? Found::message : Found::nothing;
}

} // namespace ortho::nodequeue
