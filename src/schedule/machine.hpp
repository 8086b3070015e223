// SPDX-License-Identifier: BSD-3-Clause
// The description of a machine, for prices.  No MPI in this file.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>

#include "base/arithmetic.hpp"
#include "grid/nodes.hpp"

namespace ortho::schedule {

/// The costs of messages between two processes.  Times are picoseconds in integers, so that all processes
/// compare alike.
struct Link {
    std::int64_t send_ps;    ///< for each message, on the sender's core
    std::int64_t receive_ps; ///< for each message, on the receiver's core
    std::int64_t latency_ps; ///< from the end of sending until the message is there
    std::int64_t byte_ps;    ///< between the arrivals of a byte and the next one
    std::int64_t copy_ps;    ///< for each byte, on the cores of both ends together: at most byte_ps
    std::int64_t switch_ps = 3'000'000; ///< until another process gets the core, if several share it and wait

    bool operator==(const Link&) const = default;
};

/// A machine: the times that things take on a process with a core of its own.  The built-in numbers have the
/// order of magnitude of the clusters of the 2020s; `ortho-bench tune` measures, and ORTHO_TUNE is read.
struct Machine {
    Link node{250'000, 250'000, 400'000, 120, 120};     ///< between processes of one node, by MPI
    Link shared{60'000, 60'000, 150'000, 150, 150};     ///< the same, through memory that they share
    Link single{100'000, 500'000, 400'000, 60, 60};     ///< the same; receivers copy, once
    Link network{500'000, 500'000, 1'500'000, 100, 50}; ///< between processes of different nodes
    /// For each byte that a node sends to others, whichever of its processes sends it.  Such bytes of several
    /// processes go one after the other.
    std::int64_t injection_byte_ps = 80;
    /// For each byte of two messages between nodes that meet at one process, and of more of them, in place of
    /// the network's byte_ps; 0: as that.
    std::int64_t two_byte_ps = 0;
    std::int64_t more_byte_ps = 0;
    std::int64_t block_ps = 8'000;     ///< for each block of a message, to find it and to place it
    std::int64_t reduce_byte_ps = 200; ///< for each byte that is reduced into another
    /// The link for large messages on a node, if there is another one: the faster of the two counts.
    std::optional<Link> node_large = std::nullopt;

    bool operator==(const Machine&) const = default;
};

/// The time until a message is there, and received.
inline std::int64_t message_ps(const Link& link, std::int64_t bytes)
{
    return base::times_plus(bytes, link.byte_ps, link.send_ps + link.receive_ps + link.latency_ps);
}

/// The time for each byte where so many messages between nodes meet at a process.
inline std::int64_t meeting_byte_ps(const Machine& machine, std::int64_t messages)
{
    const std::int64_t byte_ps = messages > 2    ? machine.more_byte_ps
                                 : messages == 2 ? machine.two_byte_ps
                                                 : 0;
    return byte_ps > 0 ? byte_ps : machine.network.byte_ps;
}

/// The number of messages between nodes that meet at a process without loss: 1 or 2, or 0 if no number of
/// them is known to lose anything.
inline int may_meet(const Machine& machine)
{
    if (meeting_byte_ps(machine, 3) <= machine.network.byte_ps) return 0;
    return meeting_byte_ps(machine, 2) <= machine.network.byte_ps ? 2 : 1;
}

/// The number of bytes from which on `other` is faster; the largest number if it never is.
inline std::int64_t faster_from(const Link& link, const Link& other)
{
    const std::int64_t ahead = message_ps(other, 0) - message_ps(link, 0);
    if (ahead < 0) return 0;
    const std::int64_t byte_ps = link.byte_ps - other.byte_ps;
    return byte_ps > 0 ? ahead / byte_ps + 1 : std::numeric_limits<std::int64_t>::max();
}

/// The places of the processes of a communicator; the same everywhere.
struct Layout {
    bool one_node = false;    ///< all processes are on one node
    int processes_a_core = 1; ///< on the fullest node, rounded up
    /// The node of each process, if there are several nodes and they are known.
    std::shared_ptr<const grid::Nodes> nodes = nullptr;

    bool operator==(const Layout&) const = default;
};

/// The way of large messages on a node where others go through shared memory.
enum class Large : std::uint8_t {
    shared, ///< through shared memory, too
    single, ///< receivers copy from the senders' buffers, while the senders wait
    mpi,
};

/// The machine for operations whose messages on a node go through shared memory, not by MPI.
inline Machine with_shared_memory(Machine machine, Large large, const Layout& layout)
{
    if (large == Large::single) machine.node_large = machine.single;
    if (large == Large::mpi) machine.node_large = machine.node;
    if (machine.node_large && layout.processes_a_core > 1) {
        // A message that is not copied into memory at once takes turns of other processes.  With single
        // copies a sender waits until the receiver has copied.  In MPI the sender asks first, and gets an
        // answer.
        const int turns = large == Large::single ? 1 : 2;
        machine.node_large->latency_ps += turns * machine.node_large->switch_ps;
    }
    machine.node = machine.shared;
    return machine;
}

} // namespace ortho::schedule
