// SPDX-License-Identifier: BSD-3-Clause
// How far a stencil reaches.  No MPI in this file.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "placement/edge_cut.hpp"

namespace ortho::placement {

/// For each dimension, the weight that crosses each unit of area of a plane through the grid: the sum of
/// weight times distance.
inline std::vector<std::int64_t> reach_of(const grid::Neighborhood& neighborhood,
                                          std::span<const std::int64_t> weights)
{
    std::vector<std::int64_t> result(static_cast<std::size_t>(neighborhood.dimensions()));
    for (int k = 0; k < neighborhood.dimensions(); ++k)
        for (int i = 0; i < neighborhood.size(); ++i)
            result[static_cast<std::size_t>(k)] += weight_of(weights, i) *
                                                   std::abs(std::int64_t{neighborhood.offsets(i, k)});
    return result;
}

} // namespace ortho::placement
