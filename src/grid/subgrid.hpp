// SPDX-License-Identifier: BSD-3-Clause
// Points of a grid that are a grid themselves.  No MPI in this file.
#pragma once

#include <optional>
#include <span>

#include "grid/grid.hpp"

namespace ortho::grid {

/// The grid that the points make in the order in which they are given, if they make one.
///
/// Shapes   `points` are numbers of points of `grid`, none twice.
/// Result   A grid of as many dimensions, numbered in grid's order, with as many points, of which point i
///          lies where points[i] does: a product of equidistant coordinates (of a block, a row, every second
///          point), at distances of either sign, and past the end of a dimension that is periodic.  A
///          dimension is periodic if its coordinates lead around the old one, back to the first; those with
///          one coordinate stay, with size 1.  So a step in a dimension of the one is the same step
///          everywhere in the other.  Nothing if there is no such grid, and of no points.
/// Cost     O(points * d + sum of grid's sizes).
std::optional<Grid> subgrid(const Grid& grid, std::span<const int> points);

} // namespace ortho::grid
