// SPDX-License-Identifier: BSD-3-Clause
// The best placement of all, of few points.  No MPI in this file.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "placement/point_graph.hpp"

namespace ortho::placement {

/// Parts of these sizes, which are as many together as the graph has vertices, with less cut than
/// `less_than`, and no others with even less; nothing if there are none.  `complete` becomes false if the
/// search was given up after `steps`.
///
/// Vertex after vertex goes to each part with room; of empty parts of one size only to the first.  What the
/// vertices to come have to leave at least, each by itself in the part that it has most edges to, ends a
/// branch early.
std::optional<std::vector<int>> search_parts(const PointGraph& graph, std::span<const int> sizes,
                                             std::int64_t less_than, std::int64_t steps, bool& complete);

} // namespace ortho::placement
