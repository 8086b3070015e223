// SPDX-License-Identifier: BSD-3-Clause
// Rounds for the messages of an alltoall that all processes know alike.  No MPI in this file.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "algorithm/algorithm.hpp"
#include "schedule/builder.hpp"

namespace ortho::algorithm {

/// A message from one process to another.
struct WeightedEdge {
    int from;
    int to;
    std::int64_t weight;
};

/// The round of each edge, such that no process sends two messages in one round, and none receives two.
/// If no edge is twice as heavy as another, there are as many rounds as the largest number of edges out of, or
/// into, one process (König).  Else there may be more, at most 2 D - 1 for D of those edges: a light edge takes a
/// round of its own before heavy ones change theirs.  Rounds come by their heaviest edges.  Edges of equal
/// weight go by `from` and `to`, so that the result does not depend on the order of the list.
///
/// O(E (D + P)), where D is the number of rounds, P the number of processes.
/// Source: T. Hoefler, J. L. Traff: Sparse Collective Operations for MPI, III-A, IV-D (a schedule that knows
/// all sizes, by coloring the edges of a bipartite graph).
std::vector<int> color_edges(std::span<const WeightedEdge> edges, int processes);

/// A round for each offset of a common stencil, heavy ones first: so all messages of a round cross the same
/// sides of boxes of processes, and a node has no more to send in one round than in another of as many bytes.
/// Empty unless edges along one offset are alike, none twice as heavy as another, and there are no more offsets
/// than a process has messages.  `offsets`: of each edge; -1 if there is no stencil.
std::vector<int> rounds_by_offset(std::span<const WeightedEdge> edges, std::span<const int> offsets);

/// The rounds of all messages (rounds_by_offset, or color_edges): for each out-edge and then for each in-edge
/// the round of the message to, or from, the process at its end; entries of gaps and self-edges are not read.
/// And the work of all processes in phases of rounds (PlannerContext::may_meet of them in each), and at once.
/// `bytes` of out-edges.  `most_messages` of a process, the same everywhere; nothing if all processes together
/// have too many.  Collective.
///
/// Source    T. Hoefler, J. L. Traff: Sparse Collective Operations for MPI, III-A, IV-D.
std::optional<Agreed> agree_on_rounds(const PlannerContext& context, std::span<const std::int64_t> bytes,
                                      std::int64_t most_messages, const Agreement& agreement);

/// Algorithm::agree of algorithms with rounds.  Nothing if no message is heavy, or none is twice as heavy as
/// another and messages that meet lose nothing, and nobody has named the algorithm.
std::optional<Agreed> agree_if_heavy(const PlannerContext& context, const CallSpecification& specification,
                                     std::span<const std::int64_t> bytes, bool named,
                                     const Agreement& agreement);

/// The rounds that are agreed on for a call, or follow from weights; null if there are none, and if those of a
/// common stencil will do.
const Agreed* known_rounds(const PlannerContext& context, const CallSpecification& specification);

/// The number of rounds in a phase.
inline int rounds_in_a_phase(const PlannerContext& context)
{
    return context.may_meet > 1 ? context.may_meet : 1;
}

inline constexpr int all_in_a_phase = 0;

/// Writes the messages of an alltoall by rounds, so many of them in a phase, and copies the blocks to oneself.
/// A phase has begun.  `numbers`: Agreed::numbers.
void write_rounds(schedule::Builder& out, const grid::LocalGraph& graph, const std::vector<int>& numbers,
                  int in_a_phase);

} // namespace ortho::algorithm
