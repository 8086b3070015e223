// SPDX-License-Identifier: BSD-3-Clause
// From which size on is it faster that a receiver has the system copy its peer's data, once, than that both
// copy?

#include "transport/single_copy_trial.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <limits>
#include <vector>

#include "shm/peer_memory.hpp"

namespace ortho::transport {

namespace {

std::atomic<SingleCopyFrom> largest{always};

template <class Copy>
double seconds_of(Copy copy)
{
    const auto begin = std::chrono::steady_clock::now();
    copy();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    return took.count();
}

/// The first touch of a page takes longer than a copy.
void touch_pages(const std::byte* begin)
{
    constexpr std::size_t page = 4096;
    for (std::size_t i = 0; i < trial_bytes; i += page) *static_cast<const volatile std::byte*>(begin + i);
}

} // namespace

SingleCopyFrom try_single_copy(const TrialPeer& peer)
{
    std::vector<std::byte> there(trial_block_bytes);
    std::vector<std::byte> here(trial_block_bytes);
    touch_pages(peer.seen);
    bool is_read = true;
    double one = std::numeric_limits<double>::max();
    double two = one;
    const auto read = [&](std::size_t offset) {
        auto* const address = reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(peer.address));
        const shared::Range from{address + offset, trial_block_bytes};
        const shared::Range to{there.data(), trial_block_bytes};
        is_read = is_read && shared::read_peer(peer.process, {&from, 1}, {&to, 1});
    };
    // As in a ring: it is written where the peer was last, and read where the peer has just written.
    const auto write_and_read = [&](std::size_t offset, std::size_t next) {
        std::memcpy(peer.seen + offset, here.data(), trial_block_bytes);
        std::memcpy(there.data(), peer.seen + next, trial_block_bytes);
    };
    for (std::size_t trial = 0; trial < trials; ++trial) {
        const std::size_t offset = 2 * trial * trial_block_bytes;
        one = std::min(one, seconds_of([&] { read(offset); }));
        two = std::min(two, seconds_of([&] { write_and_read(offset, offset + trial_block_bytes); }));
    }
    if (!is_read) return never;
    // The sender waits for the receiver then, which may take a while.
    if (1.2 * one < two) return always;
    // Here caches serve both copies.  Where they do not, two copies take twice as long and more, one does not.
    return one < 4 * two ? where_caches_end : never;
}

SingleCopyFrom single_copy_from() noexcept { return largest.load(std::memory_order_relaxed); }

void keep_single_copy_from(SingleCopyFrom found) noexcept
{
    SingleCopyFrom before = single_copy_from();
    while (before < found && !largest.compare_exchange_weak(before, found, std::memory_order_relaxed)) {}
}

} // namespace ortho::transport
