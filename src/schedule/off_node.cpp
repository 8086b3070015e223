// SPDX-License-Identifier: BSD-3-Clause
// Messages between nodes.  No MPI in this file.

#include "schedule/off_node.hpp"

#include <algorithm>
#include <numeric>

namespace ortho::schedule {

Sample::Sample(std::int64_t all, std::int64_t looks_each, std::int64_t looks)
    : all_(all),
      size_(std::clamp<std::int64_t>(looks / std::max<std::int64_t>(1, looks_each), 1, all)),
      distance_(std::max<std::int64_t>(1, all * 618 / 1000))
{
    while (std::gcd(distance_, all_) != 1) ++distance_;
}

OffNode off_node(const grid::Grid& grid, const grid::Nodes& nodes, const grid::Stencil& steps,
                 std::span<const std::int64_t> blocks, std::int64_t looks)
{
    const Sample sample(grid.points(), steps.size(), looks);
    OffNode result;
    std::int64_t all = 0;
    for (std::int64_t i = 0; i < sample.size(); ++i) {
        const int process = sample[i];
        std::int64_t messages_here = 0;
        std::int64_t blocks_here = 0;
        for (int s = 0; s < steps.size(); ++s) {
            const int target = grid.neighbor(process, steps[s]);
            if (target == grid::Grid::nowhere || nodes.of(target) == nodes.of(process)) continue;
            ++messages_here;
            blocks_here += blocks[static_cast<std::size_t>(s)];
        }
        result.messages = std::max(result.messages, messages_here);
        result.blocks = std::max(result.blocks, blocks_here);
        all += blocks_here;
    }
    const std::int64_t largest = std::ranges::max(nodes.sizes());
    result.node_blocks = (all * largest + sample.size() - 1) / sample.size();
    return result;
}

int percent_off_node(const grid::Neighborhood& neighborhood, const grid::Nodes& nodes)
{
    const grid::Grid& grid = neighborhood.grid;
    const Sample sample(grid.points(), neighborhood.size(), most_looks);
    std::int64_t edges = 0;
    std::int64_t leaving = 0;
    for (std::int64_t i = 0; i < sample.size(); ++i) {
        for (int n = 0; n < neighborhood.size(); ++n) {
            const int target = grid.neighbor(sample[i], neighborhood.offsets[n]);
            if (target == grid::Grid::nowhere) continue;
            ++edges;
            if (nodes.of(target) != nodes.of(sample[i])) ++leaving;
        }
    }
    return edges == 0 ? 0 : static_cast<int>((100 * leaving + edges / 2) / edges);
}

} // namespace ortho::schedule
