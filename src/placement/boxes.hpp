// SPDX-License-Identifier: BSD-3-Clause
// Grids cut into boxes.  No MPI in this file.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "grid/grid.hpp"
#include "grid/nodes.hpp"
#include "placement/edge_cut.hpp"

namespace ortho::placement {

/// The box of each point.  The sizes of a box divide the grid's; boxes are numbered in row-major order.
NodeOfPoint on_boxes(const grid::Grid& grid, const std::vector<int>& box);

/// A dimension of the grid is cut into `count` intervals whose lengths differ by 1 at most; the longer ones
/// come first.  The first coordinate of interval i, for 0 <= i <= count.
int begin_of(int size, int count, int i);

/// The number of points of dimension k from which `step`, a representative, stays on the grid; and of those
/// from which it stays in the same one of `count` intervals.
std::int64_t points_with_target(const grid::Grid& grid, int k, int step);
std::int64_t points_with_target_near(const grid::Grid& grid, int k, int count, int step);

/// The weight of edges that leave the boxes of a grid cut into counts[k] intervals in dimension k; in O(d t).
std::int64_t cut_of_boxes(const grid::Neighborhood& neighborhood, std::span<const std::int64_t> weights,
                          std::span<const int> counts);

/// The sizes of the boxes of `volume` points each that cut least.  They divide the grid's sizes; nothing if
/// there are no such sizes.  The search looks at `effort` boxes at most.
std::optional<std::vector<int>> best_box(const grid::Neighborhood& neighborhood,
                                         std::span<const std::int64_t> weights, int volume,
                                         int effort = 20'000);

} // namespace ortho::placement
