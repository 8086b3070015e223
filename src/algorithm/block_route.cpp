// SPDX-License-Identifier: BSD-3-Clause
// The way of blocks across the dimensions, group by group, seen from one process.  No MPI in this file.

#include "algorithm/block_route.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace ortho::algorithm {

using grid::Grid;

BlockRoute::BlockRoute(const grid::Neighborhood& neighborhood, int rank, const Groups& groups)
    : neighborhood_(neighborhood),
      groups_(groups),
      last_group_(static_cast<std::size_t>(neighborhood.size()), -1),
      back_(static_cast<std::size_t>(neighborhood.size()), static_cast<int>(groups.size())),
      ahead_(static_cast<std::size_t>(neighborhood.size()), 0)
{
    const Grid& grid = neighborhood.grid;
    const std::vector<int> here = grid.coordinates(rank);
    for (int i = 0; i < neighborhood.size(); ++i) {
        for (int j = 0; j < this->groups(); ++j) {
            for (const int k : groups[at(j)]) {
                const std::int64_t n = neighborhood.offsets(i, k);
                const std::int64_t c = here[at(k)];
                if (n != 0) last_group_[at(i)] = j;
                if (grid.wrap(k, c - n) == Grid::nowhere) back_[at(i)] = std::min(back_[at(i)], j);
                if (grid.wrap(k, c + n) == Grid::nowhere) ahead_[at(i)] = j + 1;
            }
        }
    }
}

bool BlockRoute::rests(int i, int j) const
{
    return std::ranges::all_of(groups_[at(j)], [&](int k) { return neighborhood_.offsets(i, k) == 0; });
}

std::strong_ordering BlockRoute::compare_steps(int a, int b, int j) const
{
    for (const int k : groups_[at(j)]) {
        const auto order = neighborhood_.offsets(a, k) <=> neighborhood_.offsets(b, k);
        if (order != 0) return order;
    }
    return std::strong_ordering::equal;
}

std::vector<int> BlockRoute::step(int i, int j) const
{
    std::vector<int> result(at(neighborhood_.dimensions()), 0);
    for (const int k : groups_[at(j)]) result[at(k)] = neighborhood_.offsets(i, k);
    return result;
}

} // namespace ortho::algorithm
