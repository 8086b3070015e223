// SPDX-License-Identifier: BSD-3-Clause
// Edges between nodes.  No MPI in this file.

#include "placement/edge_cut.hpp"

#include <algorithm>
#include <numeric>

#include "base/index.hpp"
#include "placement/edge_runs.hpp"

namespace ortho::placement {

namespace {

Partners::Range range_of(std::span<const int> numbers)
{
    const auto [min, max] = std::ranges::minmax(numbers);
    return {min, max, std::accumulate(numbers.begin(), numbers.end(), std::int64_t{0})};
}

} // namespace

CutTable tabulate_cut(const grid::Neighborhood& neighborhood, std::span<const std::int64_t> weights,
                      std::span<const int> node_of)
{
    CutTable result{std::vector<std::int64_t>(at(neighborhood.size())),
                    std::vector<std::int64_t>(at(*std::ranges::max_element(node_of) + 1))};
    std::vector<std::int64_t> edges(result.of_node.size());
    for (int i = 0; i < neighborhood.size(); ++i) {
        const std::int64_t weight = weight_of(weights, i);
        for_each_run(neighborhood.grid, neighborhood.offsets[i], [&](int from, int to, int length) {
            std::int64_t leaving = 0;
            for (int j = 0; j < length; ++j) {
                const bool leaves = node_of[at(from + j)] != node_of[at(to + j)];
                result.of_node[at(node_of[at(from + j)])] += leaves ? weight : 0;
                leaving += leaves ? 1 : 0;
            }
            result.of_offset[at(i)] += leaving * weight;
        });
    }
    return result;
}

EdgeCut count_cut(const grid::Neighborhood& neighborhood, std::span<const std::int64_t> weights,
                  std::span<const int> node_of)
{
    const CutTable table = tabulate_cut(neighborhood, weights, node_of);
    return {std::accumulate(table.of_offset.begin(), table.of_offset.end(), std::int64_t{0}),
            *std::ranges::max_element(table.of_node)};
}

Partners count_partners(const grid::Neighborhood& neighborhood, std::span<const int> node_of,
                        bool missing_are_off_node)
{
    std::vector<int> on(node_of.size());
    std::vector<int> off(node_of.size(), missing_are_off_node ? neighborhood.size() : 0);
    for (int i = 0; i < neighborhood.size(); ++i)
        for_each_run(neighborhood.grid, neighborhood.offsets[i], [&](int from, int to, int length) {
            const bool is_itself = from == to; // then so is each edge of the run
            for (int j = 0; j < length; ++j) {
                if (missing_are_off_node) --off[at(from + j)];
                if (is_itself) continue;
                ++(node_of[at(from + j)] == node_of[at(to + j)] ? on : off)[at(from + j)];
            }
        });
    return {range_of(on), range_of(off)};
}

} // namespace ortho::placement
