// SPDX-License-Identifier: BSD-3-Clause
// Points of a node divided among what is inside it.  No MPI in this file.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "grid/neighborhood.hpp"

namespace ortho::placement {

/// Divides sets of points of one grid.  Sets that look alike, as those of most nodes do, are divided once.
class NodeSubdivision {
public:
    NodeSubdivision(const grid::Neighborhood& neighborhood, std::span<const std::int64_t> weights)
        : neighborhood_(neighborhood),
          weights_(weights)
    {}

    /// A part for each of `points`, which are in increasing order: as often as `given` has it, and so that no
    /// more is cut between these points than there.
    std::vector<int> divide(std::span<const int> points, const std::vector<int>& given);

private:
    const grid::Neighborhood& neighborhood_;
    std::span<const std::int64_t> weights_;
    std::map<std::vector<std::int64_t>, std::vector<int>> known_; // by shape, edges and given
};

} // namespace ortho::placement
