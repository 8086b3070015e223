// SPDX-License-Identifier: BSD-3-Clause
// A trial with a few messages that finds the kind of the network between nodes.

#include "topology/network_trial.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <span>
#include <vector>

#include "agree/on_comm.hpp"
#include "planner/network_kind.hpp"
#include "runtime/message.hpp"

namespace ortho::topology {

namespace {

constexpr int short_trips = 10;
constexpr int long_trips = 3;                // the first one fills the network's windows
constexpr std::size_t long_bytes = 48 << 10; // so few that no MPI asks the receiver first

std::atomic<int> found{-1};

/// The part of the other process.
void answer(const mpi::SetUpComms& comms, int partner, std::span<std::byte> bytes, int trips)
{
    for (int trip = 0; trip < trips; ++trip) {
        runtime::receive(comms.messages, partner, comms.tag, bytes);
        runtime::send(comms.messages, partner, comms.tag, bytes);
    }
}

/// Half of the shortest of `trips` round trips, in picoseconds.
std::int64_t half_trip_ps(const mpi::SetUpComms& comms, int partner, std::span<std::byte> bytes, int trips)
{
    double shortest = std::numeric_limits<double>::max();
    for (int trip = 0; trip < trips; ++trip) {
        const double begin = PMPI_Wtime();
        runtime::send(comms.messages, partner, comms.tag, bytes);
        runtime::receive(comms.messages, partner, comms.tag, bytes);
        shortest = std::min(shortest, PMPI_Wtime() - begin);
    }
    return std::llround(std::clamp(shortest / 2, 0.0, 1e3) * 1e12);
}

} // namespace

std::optional<int> found_network_kind() noexcept
{
    const int kind = found.load(std::memory_order_relaxed);
    return kind < 0 ? std::nullopt : std::optional(kind);
}

int try_network(const mpi::SetUpComms& comms, const grid::Nodes& nodes)
{
    const int me = mpi::rank_of(comms.messages);
    const int node = nodes.of(me);
    const int partner_node = node ^ 1;
    const int slowest = static_cast<int>(planner::network_kinds().size()) - 1;
    int kind = found_network_kind().value_or(slowest);
    if (nodes.members(node).front() == me && partner_node < nodes.count()) {
        const int partner = nodes.members(partner_node).front();
        std::vector<std::byte> bytes(long_bytes);
        const auto one = std::span(bytes).first(1);
        if (node < partner_node) {
            const std::int64_t latency_ps = half_trip_ps(comms, partner, one, short_trips);
            const std::int64_t longer_ps = half_trip_ps(comms, partner, bytes, long_trips) - latency_ps;
            kind = std::min(kind, planner::network_kind_of(latency_ps, longer_ps / std::ssize(bytes)));
        } else {
            answer(comms, partner, one, short_trips);
            answer(comms, partner, bytes, long_trips);
        }
    }
    agree::Ballot ballot;
    const agree::Smallest fastest(ballot, kind);
    agree::hold(comms.collectives, ballot);
    kind = fastest.value<int>();
    found.store(kind, std::memory_order_relaxed);
    return kind;
}

} // namespace ortho::topology
