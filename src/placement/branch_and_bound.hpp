// SPDX-License-Identifier: BSD-3-Clause
// The best placement of few points.  No MPI in this file.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "placement/point_graph.hpp"

namespace ortho::placement {

/// The parts of these sizes with the least cut, if it is below `less_than`; else nothing.  The sizes sum up
/// to the number of vertices.  `complete` becomes false if the search ends early, after `steps`.
///
/// Each vertex in turn goes to each part with room, but only to the first of several empty parts of one size.
/// A branch ends early by a bound: each later vertex goes to its best part, whatever the others do.
std::optional<std::vector<int>> search_parts(const PointGraph& graph, std::span<const int> sizes,
                                             std::int64_t less_than, std::int64_t steps, bool& complete);

} // namespace ortho::placement
