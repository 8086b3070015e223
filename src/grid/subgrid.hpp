// SPDX-License-Identifier: BSD-3-Clause
// Points of a grid that are a grid themselves.  No MPI in this file.
#pragma once

#include <optional>
#include <span>

#include "grid/grid.hpp"

namespace ortho::grid {

/// The grid that the points form in the given order, or nothing if they form none.
///
/// Shapes   `points` are numbers of points of `grid`, none twice.
/// Result   A grid of as many dimensions and points as given, numbered in grid's order.  Its point i lies at
///          points[i].  The points are a product of equidistant coordinates (a block, a row, every second
///          point).  Distances may be negative, and may lead around a periodic dimension.  A dimension of the
///          result is periodic if its last coordinate leads around the old dimension to the first one.  A
///          dimension with one coordinate has size 1.  So a step in a dimension of the result is the same
///          step of `grid` everywhere.  Nothing for no points.
/// Cost     O(points * d + sum of grid's sizes).
std::optional<Grid> subgrid(const Grid& grid, std::span<const int> points);

} // namespace ortho::grid
