// SPDX-License-Identifier: BSD-3-Clause
// Edges between nodes.  No MPI in this file.

#include "placement/edge_cut.hpp"

#include <algorithm>
#include <numeric>

#include "base/index.hpp"

namespace ortho::placement {

EdgeCut count_cut(const grid::Neighborhood& neighborhood, std::span<const std::int64_t> weights,
                  std::span<const int> node_of)
{
    std::vector<std::int64_t> of_node(at(*std::ranges::max_element(node_of) + 1));
    for (int i = 0; i < neighborhood.size(); ++i) {
        const std::int64_t weight = weight_of(weights, i);
        for_each_run(neighborhood.grid, neighborhood.offsets[i], [&](int from, int to, int length) {
            for (int j = 0; j < length; ++j)
                of_node[at(node_of[at(from + j)])] += node_of[at(from + j)] != node_of[at(to + j)] ? weight
                                                                                                   : 0;
        });
    }
    return {std::accumulate(of_node.begin(), of_node.end(), std::int64_t{0}),
            *std::ranges::max_element(of_node)};
}

} // namespace ortho::placement
