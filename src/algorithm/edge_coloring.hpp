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
/// Heavy edges come first, and take the first round in which both ends are free.  Edges of equal weight go by
/// `from` and `to`, so that the result does not depend on the order of the list.
///
/// At most 2 D - 1 rounds, where D is the largest number of edges out of, or into, one process.  The edges of
/// a round have similar weights.  O(E (log E + D / 64)).
/// Source: T. Hoefler, J. L. Traff: Sparse Collective Operations for MPI, III-A, IV-D (a schedule that knows
/// all sizes); the bound is that of any greedy coloring.
std::vector<int> color_edges(std::span<const WeightedEdge> edges, int processes);

} // namespace ortho::algorithm
