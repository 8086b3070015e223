// SPDX-License-Identifier: BSD-3-Clause
// The counts of a schedule, its work phase by phase, and what that takes on a machine.  No MPI in this file.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "grid/stencil.hpp"
#include "schedule/machine.hpp"
#include "schedule/off_node.hpp"
#include "schedule/schedule.hpp"

namespace ortho::schedule {

/// The work of a process in an operation, or in one phase.  Numbers about nodes are 0 if these are unknown.
struct Work {
    std::int64_t phases = 0;   ///< phases with messages
    std::int64_t messages = 0; ///< sent, and as many received
    std::int64_t blocks = 0;   ///< in them
    std::int64_t bytes = 0;    ///< in them
    std::int64_t reduced_bytes = 0;
    std::int64_t off_phases = 0;   ///< phases in which any message leaves a node
    std::int64_t off_messages = 0; ///< to other nodes, of the process that has most of them
    std::int64_t off_bytes = 0;    ///< to other nodes, of the process that has most of them
    std::int64_t node_bytes = 0;   ///< that leave a node, of all its processes together

    bool operator==(const Work&) const = default;
};

/// The work of two operations, one after the other.
Work& operator+=(Work& sum, const Work& work);

/// The work of one process in one phase.  Amounts are sums of the sizes of blocks: bytes, or blocks if each
/// block has size 1.
struct PhaseLoad {
    std::int64_t messages = 0;       ///< half of the messages sent and received, rounded up
    std::int64_t blocks = 0;         ///< sent, or received if these are more
    std::int64_t amount = 0;         ///< of these blocks
    std::int64_t reduced = 0;        ///< amount of the reductions
    grid::Stencil steps;             ///< of the messages sent
    std::vector<std::int64_t> along; ///< amount of each of these messages
};

/// The work of the schedule's process, by the number of the phase.
///
/// `sizes`: the sizes of blocks, by the index of their slot; or one size for all of them.
/// `edge_offsets`: the offsets of the edges of a graph schedule; a schedule on a grid needs none.
std::vector<PhaseLoad> loads_of(const Schedule& schedule, std::span<const std::int64_t> sizes,
                                const grid::Stencil& edge_offsets);

/// The largest counts of all processes in one phase.
struct PhaseCounts {
    std::int64_t messages = 0;
    std::int64_t blocks = 0;
    std::int64_t amount = 0;
    std::int64_t reduced = 0;
    OffNode off{}; ///< amounts in place of blocks; set if the nodes are known

    bool operator==(const PhaseCounts&) const = default;
};

/// Raises each number to that of `other`, if this is larger.
void raise(PhaseCounts& most, const PhaseCounts& other);
/// All counts but those about nodes.
PhaseCounts counts_of(const PhaseLoad& load);

/// The work of a phase, if one unit of its amounts is `unit_bytes` bytes.
Work work_of(const PhaseCounts& phase, std::int64_t unit_bytes);

/// The counts of one process in a schedule.
struct Cost {
    int phases = 0;   ///< phases that have messages
    int messages = 0; ///< sent (papers: C)
    int blocks = 0;   ///< sent; a block counts as often as it is sent (papers: V)
    int messages_in = 0;
    int blocks_in = 0;
    int copies = 0;
    int reductions = 0;

    bool operator==(const Cost&) const = default;
};

Cost cost(const Schedule& schedule);

/// The time in picoseconds that the work takes.  A core handles one message, block or byte after the other.
/// Meanwhile sent messages travel, in each phase one after the other (Culler et al., LogP, 1993, whose
/// overheads may hide latency).  The longer of the two times counts.  Where processes share cores, which are
/// never idle, the times are added.  Data that leaves a node takes the sender's time, or the time of the
/// node's way out for all its processes, whichever is longer (papers' max-rate model).  Never overflows: a
/// longer time than fits is the largest number.
std::int64_t predict(const Machine& machine, const Layout& layout, const Work& work);

} // namespace ortho::schedule
