// SPDX-License-Identifier: BSD-3-Clause
#include "random_graphs.hpp"

using cases::Multigraph;
using ortho::grid::gap;
using ortho::grid::Grid;

namespace test {

namespace {

std::vector<int> to_mpi(std::vector<int> list)
{
    std::ranges::replace(list, gap, MPI_PROC_NULL);
    return list;
}

MPI_Comm make_comm(MPI_Comm base, const ortho::grid::LocalGraph& mine, MPI_Info info)
{
    const auto sources = to_mpi(mine.sources);
    const auto targets = to_mpi(mine.targets);
    return test::adjacent(sources, targets, base, info);
}

test::Info make_info(const Wishes& wishes)
{
    return {{"ortho_algorithm", wishes.algorithms.c_str()},
            {"ortho_assert_uniform", "true"},
            {"ortho_forward", wishes.forward ? "TRUE" : "false"}};
}

Grid grid_of(Random& random, int p)
{
    for (;;) {
        Grid grid = cases::random_grid(random, 3, p);
        if (grid.points() == p) return grid;
        if (uniform(random, 0, 9) == 0) return {{p}, {static_cast<char>(uniform(random, 0, 1))}};
    }
}

std::vector<int> sizes_of(const Grid& grid)
{
    std::vector<int> result;
    for (int k = 0; k < grid.dimensions(); ++k) result.push_back(grid.size(k));
    return result;
}
std::vector<int> periods_of(const Grid& grid, int truth)
{
    std::vector<int> result;
    for (int k = 0; k < grid.dimensions(); ++k) result.push_back(grid.periodic(k) ? truth : 0);
    return result;
}

void name(MPI_Comm comm, const Grid& grid)
{
    int size = 0;
    CHECK_OK(ORTHO_Cart_name_permuted(comm, grid.dimensions(), grid.slowest_first().data(),
                                      sizes_of(grid).data(), periods_of(grid, 1).data(), &size));
    CHECK_EQ(size, grid.points());
}

/// A size for each offset, the same everywhere, by process and out-edge.
Sizes sizes_by_offset(const Grid& grid, const Multigraph& graph)
{
    std::vector<std::vector<int>> sizes;
    std::vector<int> offset(at(grid.dimensions()));
    for (const auto& process : graph.processes) {
        std::vector<int>& here = sizes.emplace_back();
        for (const int target : process.targets) {
            grid.offset(process.rank, target, offset);
            int code = 0;
            for (const int x : offset) code = 5 * code + x + 2;
            here.push_back((code % 4 + 4) % 4);
        }
    }
    return [sizes = std::move(sizes)](int from, int out_edge) { return sizes[at(from)][at(out_edge)]; };
}

} // namespace

Multigraph neighborhood_graph(const Grid& grid, const ortho::grid::Stencil& stencil)
{
    Multigraph graph;
    for (int r = 0; r < grid.points(); ++r) {
        ortho::grid::LocalGraph process{r, {}, {}};
        for (int i = 0; i < stencil.size(); ++i) {
            process.targets.push_back(grid.neighbor(r, stencil[i]));
            process.sources.push_back(grid.neighbor_against(r, stencil[i]));
            if (process.targets.back() != gap) graph.pairs.push_back({r, i, process.targets.back(), i});
        }
        graph.processes.push_back(std::move(process));
    }
    return graph;
}

Made random_multigraph(Random& random, MPI_Comm base)
{
    Made made{.graph = cases::random_graph(random, size(base), 6 * size(base))};
    made.comm = make_comm(base, made.graph.processes[at(rank(base))], MPI_INFO_NULL);
    return made;
}

Made random_stencil_graph(Random& random, MPI_Comm base, const Wishes& wishes)
{
    const Grid any = grid_of(random, size(base));
    const Grid grid = wishes.complete ? cases::torus_of(any) : any;
    const auto stencil = wishes.complete ? cases::all_offsets(grid)
                                         : cases::random_stencil(random, grid.dimensions(), 9, 2);
    const auto n = ortho::grid::canonical(grid, stencil).neighborhood;
    Made made{.graph = cases::shuffled_graph(random, n), .combines = grid.is_torus()};
    made.sizes = sizes_by_offset(grid, made.graph);
    name(base, grid);
    const test::Info info = make_info(wishes);
    made.comm = make_comm(base, made.graph.processes[at(rank(base))], info);
    int flag = 0, t = -1;
    CHECK_OK(ORTHO_Comm_isomorphic(made.comm, &flag, &t));
    CHECK_EQ(flag, 1);
    CHECK_EQ(t, n.size());
    return made;
}

Made random_cart_neighborhood(Random& random, MPI_Comm base, const Wishes& wishes)
{
    const Grid any = grid_of(random, uniform(random, (size(base) + 1) / 2, size(base)));
    std::vector<char> periodic;
    for (int k = 0; k < any.dimensions(); ++k) periodic.push_back(any.periodic(k) ? 1 : 0);
    const Grid grid(sizes_of(any), periodic); // row-major
    const auto stencil = cases::random_stencil(random, grid.dimensions(), 9, 2);
    // Sizes are the same for the same slot everywhere, gaps included.
    Made made{.graph = neighborhood_graph(grid, stencil),
              .sizes = [](int, int slot) { return 1 + slot % 3; },
              .combines = true};
    const test::Info info = make_info(wishes);
    made.comm = test::neighborhood(sizes_of(grid), periods_of(grid, 7), stencil.flat(), base, info);
    if (rank(base) >= grid.points())
        CHECK(made.comm == MPI_COMM_NULL);
    else
        CHECK_EQ(rank(made.comm), rank(base));
    return made;
}

} // namespace test
