// SPDX-License-Identifier: BSD-3-Clause
// Is it faster that a receiver has the system copy its peer's data, once, than that both copy?

#include "transport/single_copy_trial.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <vector>

#include "shm/peer_memory.hpp"

namespace ortho::transport {

namespace {

std::atomic<bool> is_off{false};

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

bool single_copy_pays(const TrialPeer& peer, std::span<std::byte> mine)
{
    // The sender waits for the receiver then, which may take a while.
    constexpr double margin = 1.2;
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
    return is_read && margin * one < two;
}

bool single_copy_is_off() noexcept { return is_off.load(std::memory_order_relaxed); }

void keep_single_copy_is_off() noexcept { is_off.store(true, std::memory_order_relaxed); }

} // namespace ortho::transport
