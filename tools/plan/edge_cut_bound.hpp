// SPDX-License-Identifier: BSD-3-Clause
// A lower bound of the cut between nodes, for all placements.
#pragma once

#include <cstdint>
#include <span>

#include "grid/neighborhood.hpp"

namespace plan {

namespace grid = ortho::grid;

/// A lower bound of EdgeCut::total for all placements of nodes of these sizes, which sum up to the number of
/// points.  doc/placement.md has the proof.
std::int64_t least_cut(const grid::Neighborhood& neighborhood, std::span<const std::int64_t> weights,
                       std::span<const int> sizes);

} // namespace plan
