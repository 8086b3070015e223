// SPDX-License-Identifier: BSD-3-Clause
// Grids cut by plane after plane.  No MPI in this file.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "grid/neighborhood.hpp"
#include "placement/edge_cut.hpp"

namespace ortho::placement {

/// Boxes of `volume` points each, of different shapes, that come from cutting the grid in two by a plane, and
/// each part again: those where planes cut least, and a plane cuts what crosses it.  So 9 x 8 x 8 points make
/// 16 boxes of 9 x 2 x 2 and of 3 x 4 x 3.  Nothing if there are none, or the grid is too large to look at
/// all of them: at all boxes' sizes, that is, in O(p d n) for a longest side n.
///
/// Source    The hyperplanes of Hunold, von Kirchbach, Lehr, Schulz and Träff, CLUSTER 2020, section V, which
///           choose each by itself; here all choices are compared.
std::optional<NodeOfPoint> planes(const grid::Neighborhood& neighborhood,
                                  std::span<const std::int64_t> weights, int volume);

} // namespace ortho::placement
