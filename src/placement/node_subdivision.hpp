// SPDX-License-Identifier: BSD-3-Clause
// Divides the points of a node among its parts, such as sockets.  No MPI in this file.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "grid/neighborhood.hpp"

namespace ortho::placement {

/// Divides sets of points of one grid.  Sets of one shape, as most nodes have, are divided once.
class NodeSubdivision {
public:
    NodeSubdivision(const grid::Neighborhood& neighborhood, std::span<const std::int64_t> weights)
        : neighborhood_(neighborhood),
          weights_(weights)
    {}

    /// The part of each point.  `points` are in increasing order.  Each part occurs as often as in `given`,
    /// and the cut between these points is at most that of `given`.
    std::vector<int> divide(std::span<const int> points, const std::vector<int>& given);

private:
    const grid::Neighborhood& neighborhood_;
    std::span<const std::int64_t> weights_;
    std::map<std::vector<std::int64_t>, std::vector<int>> known_; // by shape, edges and given
};

} // namespace ortho::placement
