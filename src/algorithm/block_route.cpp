// SPDX-License-Identifier: BSD-3-Clause
// The way of blocks across the dimensions, group by group, seen from one process.  No MPI in this file.

#include "algorithm/block_route.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace ortho::algorithm {

using grid::Grid;

BlockRoute::BlockRoute(const grid::Neighborhood& neighborhood, int rank, const Groups& groups)
    : dimensions_(neighborhood.dimensions()),
      along_(neighborhood, groups),
      last_group_(static_cast<std::size_t>(neighborhood.size()), -1),
      back_(static_cast<std::size_t>(neighborhood.size()), static_cast<int>(groups.size())),
      ahead_(static_cast<std::size_t>(neighborhood.size()), 0)
{
    const Grid& grid = neighborhood.grid;
    const std::vector<int> here = grid.coordinates(rank);
    std::vector<std::int64_t> done(at(dimensions_));
    for (int i = 0; i < neighborhood.size(); ++i) {
        std::ranges::fill(done, 0);
        for (int j = 0; j < this->groups(); ++j) {
            for (const int column : along_.columns[at(j)]) {
                const int k = along_.dimension[at(column)];
                const std::int64_t c = here[at(k)];
                const std::int64_t left = neighborhood.offsets(i, k) - done[at(k)];
                const int step = along_.steps(i, column);
                done[at(k)] += step;
                if (step != 0) last_group_[at(i)] = j;
                if (grid.wrap(k, c - done[at(k)]) == Grid::nowhere) back_[at(i)] = std::min(back_[at(i)], j);
                if (grid.wrap(k, c + left) == Grid::nowhere) ahead_[at(i)] = j + 1;
            }
        }
    }
}

std::vector<int> BlockRoute::sorted(bool from_last) const
{
    std::vector<int> result(last_group_.size());
    std::iota(result.begin(), result.end(), 0);
    std::ranges::stable_sort(result, [&](int a, int b) {
        for (int j = 0; j < groups(); ++j) {
            const auto steps = compare_steps(a, b, from_last ? groups() - 1 - j : j);
            if (steps != 0) return steps < 0;
        }
        return false;
    });
    return result;
}

std::vector<int> BlockRoute::moving(int j) const
{
    std::vector<int> result;
    for (int i = 0; i < static_cast<int>(last_group_.size()); ++i)
        if (!rests(i, j)) result.push_back(i);
    return result;
}

bool BlockRoute::rests(int i, int j) const
{
    return std::ranges::all_of(along_.columns[at(j)], [&](int c) { return along_.steps(i, c) == 0; });
}

std::strong_ordering BlockRoute::compare_steps(int a, int b, int j) const
{
    for (const int column : along_.columns[at(j)]) {
        const auto order = along_.steps(a, column) <=> along_.steps(b, column);
        if (order != 0) return order;
    }
    return std::strong_ordering::equal;
}

std::vector<int> BlockRoute::step(int i, int j) const
{
    std::vector<int> result(at(dimensions_), 0);
    for (const int column : along_.columns[at(j)])
        result[at(along_.dimension[at(column)])] = along_.steps(i, column);
    return result;
}

} // namespace ortho::algorithm
