// SPDX-License-Identifier: BSD-3-Clause
// The edges of one offset, many at a time.  No MPI in this file.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "grid/grid.hpp"

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

} // namespace ortho::placement
