// SPDX-License-Identifier: BSD-3-Clause
// What is known of the machine.  No MPI in this file.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>

#include "base/saturating_math.hpp"
#include "grid/nodes.hpp"

namespace ortho::schedule {

/// The way of messages between two processes.  Times in picoseconds: integers, so that all processes
/// compare alike.
struct Link {
    std::int64_t send_ps;    ///< of the sender's core, for each message
    std::int64_t receive_ps; ///< of the receiver's core, for each message
    std::int64_t latency_ps; ///< until a message is there, once it has been sent
    std::int64_t byte_ps;    ///< until a byte of it is there once the byte before is
    std::int64_t copy_ps;    ///< of the cores, for each byte, at both ends together: at most byte_ps
    std::int64_t switch_ps =
        3'000'000; ///< until another process has the core, where several share one and wait for such messages

    bool operator==(const Link&) const = default;
};

/// A machine, and what things take a process that has a core to itself.  Built-in: the order of magnitude of
/// the clusters of the 2020s; `ortho-bench tune` measures, ORTHO_TUNE reads.
struct Machine {
    Link node{250'000, 250'000, 400'000, 120, 120};     ///< between processes of one node, by MPI
    Link shared{60'000, 60'000, 150'000, 150, 150};     ///< there, too, through memory that they share
    Link single{100'000, 500'000, 400'000, 60, 60};     ///< there, too: receivers copy, once
    Link network{500'000, 500'000, 1'500'000, 100, 50}; ///< between processes of different nodes
    /// For each byte that a node sends to others, whichever of its processes sends it: bytes of several go
    /// one after the other.
    std::int64_t injection_byte_ps = 80;
    std::int64_t block_ps = 8'000;     ///< for each block of a message, to find and to place it
    std::int64_t reduce_byte_ps = 200; ///< for each byte that is reduced into another
    /// The way of large messages on a node, if it is another one: the faster of the two counts.
    std::optional<Link> node_large = std::nullopt;

    bool operator==(const Machine&) const = default;
};

/// Until a message is there, and received.
inline std::int64_t message_ps(const Link& link, std::int64_t bytes)
{
    return base::times_plus(bytes, link.byte_ps, link.send_ps + link.receive_ps + link.latency_ps);
}

/// From how many bytes on the other way is faster; the largest number if it never is.
inline std::int64_t faster_from(const Link& link, const Link& other)
{
    const std::int64_t ahead = message_ps(other, 0) - message_ps(link, 0);
    if (ahead < 0) return 0;
    const std::int64_t byte_ps = link.byte_ps - other.byte_ps;
    return byte_ps > 0 ? ahead / byte_ps + 1 : std::numeric_limits<std::int64_t>::max();
}

/// Where the processes of a communicator are; the same everywhere.
struct Layout {
    bool one_node = false;    ///< all of them on one
    int processes_a_core = 1; ///< on the fullest node, rounded up
    /// Who is where, if there are several nodes, and it is known.
    std::shared_ptr<const grid::Nodes> nodes = nullptr;

    bool operator==(const Layout&) const = default;
};

/// The way of large messages on a node, where the usual one is shared memory.
enum class Large : std::uint8_t {
    shared, ///< the same
    single, ///< receivers copy from where senders have the data, while these wait
    mpi,
};

/// The machine for operations whose messages on a node go through memory that the processes share, and not by
/// MPI.
inline Machine with_shared_memory(Machine machine, Large large, const Layout& layout)
{
    if (large == Large::single) machine.node_large = machine.single;
    if (large == Large::mpi) machine.node_large = machine.node;
    if (machine.node_large && layout.processes_a_core > 1) {
        // Turns of other processes that a message takes which was not copied into memory at once: a sender
        // waits until it has been copied; MPI's asks before, and is answered.
        const int turns = large == Large::single ? 1 : 2;
        machine.node_large->latency_ps += turns * machine.node_large->switch_ps;
    }
    machine.node = machine.shared;
    return machine;
}

} // namespace ortho::schedule
