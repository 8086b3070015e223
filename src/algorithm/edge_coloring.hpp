// SPDX-License-Identifier: BSD-3-Clause
// Rounds for the messages of a graph.  No MPI in this file.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

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

} // namespace ortho::algorithm
