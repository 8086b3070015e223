// SPDX-License-Identifier: BSD-3-Clause
// From which size on is it faster that a receiver has the system copy its peer's data, once, than that both
// copy?

#include "transport/single_copy_trial.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <vector>

#include "shm/peer_memory.hpp"

namespace ortho::transport {

namespace {

std::atomic<SingleCopyFrom> largest{always};

/// The shortest of a few.
template <class Copy>
double seconds_of(Copy copy)
{
    constexpr int trials = 6; // the first one touches pages
    double shortest = 1e9;
    for (int trial = 0; trial < trials; ++trial) {
        const auto begin = std::chrono::steady_clock::now();
        copy();
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
        shortest = std::min(shortest, took.count());
    }
    return shortest;
}

} // namespace

SingleCopyFrom try_single_copy(const TrialPeer& peer, std::span<std::byte> mine)
{
    std::vector<std::byte> there(trial_bytes);
    std::vector<std::byte> here(trial_bytes);
    const double two = seconds_of([&] {
        std::memcpy(mine.data(), here.data(), trial_bytes);
        std::memcpy(there.data(), peer.seen, trial_bytes);
    });
    bool is_read = true;
    const double one = seconds_of([&] {
        const shared::Range from{reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(peer.address)),
                                 trial_bytes};
        const shared::Range to{there.data(), trial_bytes};
        is_read = is_read && shared::read_peer(peer.process, {&from, 1}, {&to, 1});
    });
    if (!is_read) return never;
    // The sender waits for the receiver then, which may take a while.
    if (1.2 * one < two) return always;
    // Here caches serve both copies.  Where they do not, two copies take twice as long and more, one does not.
    return one < 3 * two ? where_caches_end : never;
}

SingleCopyFrom single_copy_from() noexcept { return largest.load(std::memory_order_relaxed); }

void keep_single_copy_from(SingleCopyFrom found) noexcept
{
    SingleCopyFrom before = single_copy_from();
    while (before < found && !largest.compare_exchange_weak(before, found, std::memory_order_relaxed)) {}
}

} // namespace ortho::transport
