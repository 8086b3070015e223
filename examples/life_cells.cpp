// SPDX-License-Identifier: BSD-3-Clause
// The Game of Life with one cell a process: Listing 7 of the orthogonality paper (J. L. Traff et
// al., Parallel Computing 2021), with its lists of neighbors put right.
//
// A process's living neighbors are counted by one ORTHO_Allreduce on the graph; the population by
// the same call on the base communicator.

#include <mpi.h>
#include <mpiortho.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "program.hpp"
#include "rle.hpp"
#include "tiles.hpp"

namespace {

struct Options {
    std::string pattern;
    std::string grid;
    long long generations = 10;
    bool periodic = false;
    bool show = false;
};

/// The grid asked for, or the one that MPI suggests.
Extent grid_of(const Options& options, int processes)
{
    if (!options.grid.empty()) {
        const Extent extent = parse_extent(options.grid);
        if (extent.rows * extent.columns != processes)
            throw std::runtime_error("a grid of " + options.grid + " cells on " + std::to_string(processes) +
                                     " processes: one cell a process");
        return extent;
    }
    int order[] = {0, 0};
    MPI_Dims_create(processes, 2, order);
    return {order[0], order[1]};
}

/// The state of each cell at the beginning, centred; at rank 0.
std::vector<short> first_generation(const Options& options, const Extent& grid)
{
    std::ifstream in(options.pattern);
    if (!in) throw std::runtime_error("cannot open " + options.pattern);
    const Pattern pattern = read_rle(in);
    if (pattern.rows > grid.rows || pattern.columns > grid.columns)
        throw std::runtime_error("a pattern of " + std::to_string(pattern.rows) + "x" +
                                 std::to_string(pattern.columns) + " cells on a grid of " +
                                 std::to_string(grid.rows) + "x" + std::to_string(grid.columns));
    std::vector<short> states(static_cast<std::size_t>(grid.rows * grid.columns), 0);
    for (const auto& [row, column] : pattern.cells)
        states[static_cast<std::size_t>((row + (grid.rows - pattern.rows) / 2) * grid.columns + column +
                                        (grid.columns - pattern.columns) / 2)] = 1;
    return states;
}

void show(long long generation, short state, const Extent& grid, MPI_Comm base)
{
    int rank = 0;
    MPI_Comm_rank(base, &rank);
    std::vector<short> states(static_cast<std::size_t>(grid.rows * grid.columns));
    ORTHO_Gather(&state, 1, MPI_SHORT, states.data(), 1, MPI_SHORT, 0, base);
    if (rank != 0) return;
    std::printf("generation %lld\n", generation);
    for (int r = 0; r < grid.rows; ++r) {
        for (int c = 0; c < grid.columns; ++c)
            std::putchar(states[static_cast<std::size_t>(r * grid.columns + c)] != 0 ? 'o' : '.');
        std::putchar('\n');
    }
}

void run(const Options& options)
{
    int p = 0;
    int r = 0;
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Comm_size(comm, &p);
    MPI_Comm_rank(comm, &r);
    Extent grid{0, 0};
    std::vector<short> states(1);
    std::string failure;
    if (r == 0) {
        try {
            grid = grid_of(options, p);
            states = first_generation(options, grid);
        } catch (const PatternError& error) {
            failure = options.pattern + ": " + error.what();
        } catch (const std::exception& error) {
            failure = error.what();
        }
    }
    end_if_failed(failure, "life_cells", comm);
    int order[] = {grid.rows, grid.columns};
    ORTHO_Bcast(order, 2, MPI_INT, 0, comm);
    grid = {order[0], order[1]};

    const int period[] = {options.periodic ? 1 : 0, options.periodic ? 1 : 0};
    int points = 0;
    ORTHO_Cart_name(comm, 2, ORTHO_ROWMAJOR, order, period, &points);

    int t = 0;
    ORTHO_Cart_neighbors_count(comm, r, ORTHO_CHEBYSHEV_DISTANCE, 1, 1, &t);
    std::vector<int> offsets(2 * static_cast<std::size_t>(t) + 2);
    ORTHO_Cart_neighbors(comm, r, ORTHO_CHEBYSHEV_DISTANCE, 1, 1, t, offsets.data());
    std::vector<int> neighbors(static_cast<std::size_t>(t) + 1);
    ORTHO_Cart_allranks_relative(comm, r, t, offsets.data(), neighbors.data());
    // We send to where we receive from, and all blocks of a process are alike: one list will do.  Nobody may
    // get another rank (reorder): rank 0 has all cells.
    MPI_Comm cartcomm = MPI_COMM_NULL;
    ORTHO_Dist_graph_create_adjacent(comm, t, neighbors.data(), MPI_UNWEIGHTED, t, neighbors.data(),
                                     MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &cartcomm);
    MPI_Comm base = MPI_COMM_NULL;
    ORTHO_Comm_base(cartcomm, &base);

    short state = 0;
    ORTHO_Scatter(states.data(), 1, MPI_SHORT, &state, 1, MPI_SHORT, 0, base);
    for (long long generation = 0; generation < options.generations; ++generation) {
        if (options.show) show(generation, state, grid, base);
        short live = 0; // what a cell without neighbors counts
        ORTHO_Allreduce(&state, &live, 1, MPI_SHORT, MPI_SUM, cartcomm);
        if (live < 2 || live > 3)
            state = 0;
        else if (live == 3)
            state = 1;
    }
    if (options.show) show(options.generations, state, grid, base);
    int mine = state;
    int population = 0;
    ORTHO_Allreduce(&mine, &population, 1, MPI_INT, MPI_SUM, base);
    if (r == 0) std::printf("generation %lld population %d\n", options.generations, population);
    MPI_Comm_free(&base);
    MPI_Comm_free(&cartcomm);
}

} // namespace

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    Options options;
    CommandLine line("The Game of Life with one cell a process, under mpiexec", "life_cells");
    line.add_option("pattern", options.pattern, "the pattern to start with, an .rle file").required();
    line.add_option("--grid", options.grid, "rows x columns, as many cells as processes");
    line.add_option("--generations", options.generations, "how many generations to run").not_negative();
    line.add_flag("--periodic", options.periodic, "on a torus instead of a bounded grid");
    line.add_flag("--show", options.show, "print every generation");
    parse_or_end(line, argc, argv);
    run(options);
    MPI_Finalize();
    return 0;
}
