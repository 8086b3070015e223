// SPDX-License-Identifier: BSD-3-Clause
// Points divided in two, and each half again: a k-d tree whose leaves are nodes.  No MPI in this file.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "grid/neighborhood.hpp"

namespace ortho::placement {

/// For each of `points`, which are in increasing order, its part: sizes[i] points to part i, for any sizes
/// that are as many together.  Parts are divided in about half, in the order `order`, and the points by a
/// plane across which as little as can be is cut, or if sizes do not fit along one with a step in it; the
/// number of parts on either side is one for which there is no step, if there is one near.
///
/// Source    the k-d tree of Hunold, von Kirchbach, Lehr, Schulz and Träff, CLUSTER 2020, section V, which
///           knows no sizes.
std::vector<int> tree(const grid::Neighborhood& neighborhood, std::span<const std::int64_t> weights,
                      std::span<const int> points, std::span<const int> sizes, std::span<const int> order);

} // namespace ortho::placement
