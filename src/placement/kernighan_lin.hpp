// SPDX-License-Identifier: BSD-3-Clause
// Placements made better by exchanging points between nodes.  No MPI in this file.
#pragma once

#include <cstdint>
#include <vector>

#include "placement/point_graph.hpp"

namespace ortho::placement {

/// Exchanges points between two parts at a time, such that less is cut, until no two parts gain by it or
/// `work` steps have been taken, of some nanoseconds each.  Parts keep their sizes.
///
/// Two parts with edges between them exchange points one for one, always the pair that gains most, or loses
/// least; no point goes twice; then all is undone after the exchange up to which the sum gained is greatest.
/// In this way they pass over a loss to a gain beyond.
///
/// Source    B. W. Kernighan, S. Lin: An Efficient Heuristic Procedure for Partitioning Graphs, 1970.  The
///           partner of the best point is sought, not the best of all pairs.
void exchange(const PointGraph& graph, std::vector<int>& part_of, std::int64_t work);

} // namespace ortho::placement
