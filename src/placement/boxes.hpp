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

/// For each point the number of its box, if boxes of these sizes, which divide the grid's, are counted in
/// row-major order.
NodeOfPoint on_boxes(const grid::Grid& grid, const std::vector<int>& box);

/// A dimension of the grid is cut into `count` intervals whose lengths differ by 1 at most, the longer ones
/// first.  interval_of: which one holds `coordinate`; begin_of: where interval i begins, for 0 <= i <= count.
int interval_of(int size, int count, int coordinate);
int begin_of(int size, int count, int i);

/// How many points of dimension k there are from which `step`, a representative, stays on the grid; and in
/// the same interval of the `count` that the dimension is cut into.
std::int64_t points_with_target(const grid::Grid& grid, int k, int step);
std::int64_t points_with_target_near(const grid::Grid& grid, int k, int count, int step);

/// What leaves the boxes that a grid is cut into by `counts[k]` intervals in dimension k: in O(d t).
std::int64_t cut_of_boxes(const grid::Neighborhood& neighborhood, std::span<const std::int64_t> weights,
                          std::span<const int> counts);

/// The sizes, dividing the grid's, of the boxes of `volume` points each that cut least; nothing if there are
/// none.  No more than `effort` are looked at, if there are as many.
std::optional<std::vector<int>> best_box(const grid::Neighborhood& neighborhood,
                                         std::span<const std::int64_t> weights, int volume,
                                         int effort = 20'000);

} // namespace ortho::placement
