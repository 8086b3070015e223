// SPDX-License-Identifier: BSD-3-Clause
// What leaves the nodes at least, wherever they are.  No MPI in this file.
#pragma once

#include <cstdint>
#include <span>

#include "grid/neighborhood.hpp"

namespace ortho::placement {

/// No placement of nodes of these sizes, which are as many together as the grid has points, has a smaller
/// EdgeCut::total.  doc/placement.md has the proof.
std::int64_t least_cut(const grid::Neighborhood& neighborhood, std::span<const std::int64_t> weights,
                       std::span<const int> sizes);

} // namespace ortho::placement
