// SPDX-License-Identifier: BSD-3-Clause
// Points divided in two, and each half again: a k-d tree whose leaves are nodes.  No MPI in this file.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "grid/neighborhood.hpp"

namespace ortho::placement {

/// The part of each point: sizes[i] points go to part i.  `points` are in increasing order; `sizes` sum up to
/// their number.  Again and again, the parts are divided into two halves in the order `order`, and the points
/// by a plane.  The plane cuts as little as possible.  It has a step if the sizes do not fit a whole plane;
/// the number of parts in a half avoids that if it can.
///
/// Source    the k-d tree of Hunold, von Kirchbach, Lehr, Schulz and Träff, CLUSTER 2020, section V, for
///           parts without sizes.
std::vector<int> tree(const grid::Neighborhood& neighborhood, std::span<const std::int64_t> weights,
                      std::span<const int> points, std::span<const int> sizes, std::span<const int> order);

} // namespace ortho::placement
