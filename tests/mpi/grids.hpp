// SPDX-License-Identifier: BSD-3-Clause
// Grids of processes: as lists of ints, as names of communicators, and random ones.
#pragma once

namespace test {

using ortho::grid::Grid;

inline Grid random_grid_of(cases::Random& random, int processes)
{
    for (int tries = 0; tries < 500; ++tries) {
        Grid grid = cases::random_grid(random, 4, processes);
        if (grid.points() == processes) return grid;
    }
    return {{processes}, {static_cast<char>(cases::uniform(random, 0, 1))}};
}

inline Ints sizes_of(const Grid& grid)
{
    Ints result;
    for (int k = 0; k < grid.dimensions(); ++k) result.push_back(grid.size(k));
    return result;
}
inline Ints periods_of(const Grid& grid)
{
    Ints result;
    for (int k = 0; k < grid.dimensions(); ++k) result.push_back(grid.periodic(k) ? 1 : 0);
    return result;
}

inline void name(MPI_Comm comm, const Grid& grid)
{
    int points = 0;
    const int order = grid.is(ortho::grid::Order::row_major) ? ORTHO_ROWMAJOR : ORTHO_COLMAJOR;
    Ints ranks(grid.ranks().begin(), grid.ranks().end());
    std::ranges::replace(ranks, Grid::nowhere, MPI_PROC_NULL);
    CHECK_OK(grid.has_ranks()
                 ? ORTHO_Cart_name_map(comm, grid.dimensions(), order, sizes_of(grid).data(),
                                       periods_of(grid).data(), ranks.data(), &points)
                 : ORTHO_Cart_name_permuted(comm, grid.dimensions(), grid.slowest_first().data(),
                                            sizes_of(grid).data(), periods_of(grid).data(), &points));
    CHECK_EQ(points, grid.points());
}
/// The same grid with ranks in row-major order.
inline Grid row_major(const Grid& grid)
{
    const Ints periods = periods_of(grid);
    return {sizes_of(grid), {periods.begin(), periods.end()}};
}

inline Ints to_mpi(Ints list)
{
    std::ranges::replace(list, ortho::grid::gap, MPI_PROC_NULL);
    return list;
}

} // namespace test
