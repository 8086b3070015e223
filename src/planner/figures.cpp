// SPDX-License-Identifier: BSD-3-Clause
// The numbers of a stencil that decide between schedules.  No MPI in this file.

#include "planner/figures.hpp"

#include <vector>

#include "algorithm/algorithms.hpp"
#include "schedule/cost.hpp"

namespace ortho::planner {

Figures figures(const grid::Neighborhood& neighborhood)
{
    // Far from all borders a grid is as good as a torus, on which all processes send alike.
    const grid::Grid& grid = neighborhood.grid;
    std::vector<int> sizes;
    for (int k = 0; k < grid.dimensions(); ++k) sizes.push_back(grid.size(k));
    const std::vector<char> wrapped(sizes.size(), 1);
    const grid::Neighborhood torus{grid::Grid(sizes, wrapped, grid.order()), neighborhood.offsets};

    Figures result;
    for (int i = 0; i < torus.size(); ++i) {
        if (torus.offsets.nonzeros(i) == 0) continue;
        ++result.blocks;
        if (i == 0 || grid::compare(torus.offsets[i], torus.offsets[i - 1]) != 0) ++result.partners;
    }
    const schedule::Cost alltoall = schedule::cost(
        algorithm::alltoall_combining(torus, 0, algorithm::one_by_one(grid.dimensions())));
    result.combined_messages = alltoall.messages;
    result.alltoall_blocks = alltoall.blocks;
    result.allgather_blocks =
        schedule::cost(algorithm::allgather_combining(torus, 0, algorithm::by_distinct_coordinates(torus)))
            .blocks;
    return result;
}

} // namespace ortho::planner
