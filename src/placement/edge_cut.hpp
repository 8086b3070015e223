// SPDX-License-Identifier: BSD-3-Clause
// Edges between nodes, if each point of a grid is on some node.  No MPI in this file.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "grid/neighborhood.hpp"

namespace ortho::placement {

/// A node for each point of a grid.
using NodeOfPoint = std::vector<int>;

/// The weight of each edge of offset i; 1 if there are no weights.
inline std::int64_t weight_of(std::span<const std::int64_t> weights, int i)
{
    return weights.empty() ? 1 : weights[static_cast<std::size_t>(i)];
}

/// The weight of edges from one node to another.  An exchange lasts as long as the busiest node sends [G],
/// and all load the network.  So a cut is better if it gains more in one than it loses in the other; then if
/// less leaves the busiest node.
struct EdgeCut {
    std::int64_t total = 0;
    std::int64_t of_a_node = 0; ///< the largest weight that leaves one node

    std::partial_ordering operator<=>(const EdgeCut& other) const
    {
        const auto product = [](const EdgeCut& cut) {
            return static_cast<double>(cut.total) * static_cast<double>(cut.of_a_node);
        };
        if (const auto order = product(*this) <=> product(other); order != 0) return order;
        return of_a_node <=> other.of_a_node;
    }
    bool operator==(const EdgeCut&) const = default;
};
EdgeCut count_cut(const grid::Neighborhood& neighborhood, std::span<const std::int64_t> weights,
                  std::span<const int> node_of);

} // namespace ortho::placement
