// SPDX-License-Identifier: BSD-3-Clause
// Edges between nodes, if each point of a grid is on some node.  No MPI in this file.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "grid/grid.hpp"
#include "grid/neighborhood.hpp"

namespace ortho::placement {

namespace detail {

template <class Run>
void walk_runs(const grid::Grid& grid, std::span<const int> offset, int level, std::int64_t from,
               std::int64_t to, Run& run)
{
    const int d = grid.dimensions();
    const int k = grid.slowest_first()[static_cast<std::size_t>(level)];
    const std::int64_t step = offset[static_cast<std::size_t>(k)];
    const std::int64_t size = grid.size(k);
    from *= size;
    to *= size;
    if (level < d - 1) {
        for (std::int64_t c = 0; c < size; ++c) {
            const int target = grid.wrap(k, c + step);
            if (target != grid::Grid::nowhere) walk_runs(grid, offset, level + 1, from + c, to + target, run);
        }
        return;
    }
    const auto call = [&](std::int64_t begin, std::int64_t end, std::int64_t shift) {
        if (begin < end)
            run(static_cast<int>(from + begin), static_cast<int>(to + begin + shift),
                static_cast<int>(end - begin));
    };
    if (grid.periodic(k)) {
        const std::int64_t shift = grid.wrap(k, step);
        call(0, size - shift, shift);
        call(size - shift, size, shift - size);
    } else {
        call(std::max<std::int64_t>(0, -step), std::min(size, size - step), step);
    }
}

} // namespace detail

/// Calls run(from, to, length) for runs of edges of `offset`: the edges from point from + i to point to + i
/// for 0 <= i < length.  Each edge is in one run.
template <class Run>
void for_each_run(const grid::Grid& grid, std::span<const int> offset, Run&& run)
{
    if (grid.dimensions() > 0) detail::walk_runs(grid, offset, 0, 0, 0, run);
}

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
