// SPDX-License-Identifier: BSD-3-Clause
// What a schedule asks of a process, phase by phase.  No MPI in this file.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "grid/stencil.hpp"
#include "schedule/off_node.hpp"
#include "schedule/schedule.hpp"

namespace ortho::schedule {

/// What a process does in an operation, or in a phase of it.  The numbers of what leaves nodes are set where
/// it is known who is where.
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

/// One operation after the other.
Work& operator+=(Work& sum, const Work& work);

/// What one process does in one phase.  Amounts are sums of the sizes of blocks: bytes, or blocks if each
/// block has size 1.
struct PhaseLoad {
    std::int64_t messages = 0;       ///< half of those that it sends and receives, rounded up
    std::int64_t blocks = 0;         ///< that it sends, or that it receives if they are more
    std::int64_t amount = 0;         ///< of these
    std::int64_t reduced = 0;        ///< amount that it reduces
    grid::Stencil steps;             ///< of the messages that it sends
    std::vector<std::int64_t> along; ///< amount of each of these messages
};

/// What the schedule asks of its process, by the number of the phase.
///
/// `sizes`: of blocks, by the index of their slot; or one for all of them.
/// `edge_offsets`: where the edges of a graph schedule lead on the grid; a schedule on a grid needs none.
std::vector<PhaseLoad> loads_of(const Schedule& schedule, std::span<const std::int64_t> sizes,
                                const grid::Stencil& edge_offsets);

/// What the processes that do most do in one phase.
struct PhaseCounts {
    std::int64_t messages = 0;
    std::int64_t blocks = 0;
    std::int64_t amount = 0;
    std::int64_t reduced = 0;
    OffNode off{}; ///< amounts in place of blocks; if it is known who is where

    bool operator==(const PhaseCounts&) const = default;
};

/// Of each number the larger one.
void raise(PhaseCounts& most, const PhaseCounts& other);
/// All but what leaves nodes.
PhaseCounts counts_of(const PhaseLoad& load);

/// The work of a phase, if one unit of its amounts is so many bytes.
Work work_of(const PhaseCounts& phase, std::int64_t unit_bytes);

} // namespace ortho::schedule
