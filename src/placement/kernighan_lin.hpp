// SPDX-License-Identifier: BSD-3-Clause
// Placements improved by exchanges of points between nodes.  No MPI in this file.
#pragma once

#include <cstdint>
#include <vector>

#include "placement/point_graph.hpp"

namespace ortho::placement {

/// Exchanges points between two parts at a time, so that the cut shrinks.  Ends when no two parts gain, or
/// after `work` steps of some nanoseconds each.  Parts keep their sizes.
///
/// Two parts with edges between them exchange points one for one.  Each time the pair that gains most, or
/// loses least, goes; no point goes twice.  Then all exchanges after the best sum of gains are undone.  So a
/// loss may lead to a larger gain.
///
/// Source    B. W. Kernighan, S. Lin: An Efficient Heuristic Procedure for Partitioning Graphs, 1970.  Here
///           the best point gets its best partner; the paper looks for the best of all pairs.
void exchange(const PointGraph& graph, std::vector<int>& part_of, std::int64_t work);

} // namespace ortho::placement
