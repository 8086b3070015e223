// SPDX-License-Identifier: BSD-3-Clause
// What the planner knows of the machine, and what work takes there.  No MPI in this file.
#pragma once

#include <cstdint>
#include <memory>

#include "grid/nodes.hpp"

namespace ortho::planner {

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
    Link network{500'000, 500'000, 1'500'000, 100, 50}; ///< between processes of different nodes
    /// For each byte that a node sends to others, whichever of its processes sends it: bytes of several go
    /// one after the other.
    std::int64_t injection_byte_ps = 80;
    std::int64_t block_ps = 8'000;     ///< for each block of a message, to find and to place it
    std::int64_t reduce_byte_ps = 200; ///< for each byte that is reduced into another

    bool operator==(const Machine&) const = default;
};

/// The machine for operations whose messages on a node go through memory that the processes share, and not by
/// MPI.
Machine with_shared_memory(Machine machine);

/// Where the processes of a communicator are; the same everywhere.
struct Layout {
    bool one_node = false;    ///< all of them on one
    int processes_a_core = 1; ///< on the fullest node, rounded up
    /// Who is where, if there are several nodes, and it is known.
    std::shared_ptr<const grid::Nodes> nodes = nullptr;

    bool operator==(const Layout&) const = default;
};

/// What a process does in an operation.  What leaves nodes, of all that, is of interest where it is known who
/// is where.
struct Work {
    std::int64_t phases = 0;   ///< of messages
    std::int64_t messages = 0; ///< sent, and as many received
    std::int64_t blocks = 0;   ///< in them
    std::int64_t bytes = 0;    ///< in them
    std::int64_t reduced_bytes = 0;
    std::int64_t off_phases = 0;   ///< in which anything leaves a node
    std::int64_t off_messages = 0; ///< that leave the node of the process that has most of them
    std::int64_t off_bytes = 0;    ///< likewise
    std::int64_t node_bytes = 0;   ///< that leave a node, all processes' together

    bool operator==(const Work&) const = default;
};

/// The time in picoseconds that the work takes.  A core is at one message, or block, or byte, after the
/// other; meanwhile those that have been sent are on their way, in each phase one after the other, too
/// (Culler et al., LogP, 1993, whose overheads may hide latency): the longer of the two counts; where
/// processes share cores, which are never idle, all is added.  What leaves a node takes the sender's time, or
/// that of the node's way out for all its processes, whichever is longer (papers' max-rate model).  Never
/// overflows: what is too long for the type is its largest number.
std::int64_t predict(const Machine& machine, const Layout& layout, const Work& work);

/// a * b + c of numbers that are not negative, or the largest number if that is too large.
std::int64_t times_plus(std::int64_t a, std::int64_t b, std::int64_t c);

} // namespace ortho::planner
