// SPDX-License-Identifier: BSD-3-Clause
// How many partners processes have on their node, and on others.
#include "plan/partners.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/index.hpp"
#include "placement/edge_cut.hpp"

namespace plan {

namespace {

using ortho::at;

Partners::Range range_of(std::span<const int> numbers)
{
    const auto [min, max] = std::ranges::minmax(numbers);
    return {min, max, std::accumulate(numbers.begin(), numbers.end(), std::int64_t{0})};
}

} // namespace

Partners count_partners(const grid::Neighborhood& neighborhood, std::span<const int> node_of,
                        bool missing_are_off_node)
{
    std::vector<int> on(node_of.size());
    std::vector<int> off(node_of.size(), missing_are_off_node ? neighborhood.size() : 0);
    for (int i = 0; i < neighborhood.size(); ++i)
        ortho::placement::for_each_run(
            neighborhood.grid, neighborhood.offsets[i], [&](int from, int to, int length) {
                const bool is_itself = from == to; // then so is each edge of the run
                for (int j = 0; j < length; ++j) {
                    if (missing_are_off_node) --off[at(from + j)];
                    if (is_itself) continue;
                    ++(node_of[at(from + j)] == node_of[at(to + j)] ? on : off)[at(from + j)];
                }
            });
    return {range_of(on), range_of(off)};
}

} // namespace plan
