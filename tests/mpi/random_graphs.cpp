// SPDX-License-Identifier: BSD-3-Clause
#include "random_graphs.hpp"

#include "grids.hpp"

using cases::Multigraph;
using ortho::grid::gap;
using ortho::grid::Grid;

namespace test {

namespace {

MPI_Comm make_comm(MPI_Comm base, const ortho::grid::LocalGraph& mine, MPI_Info info)
{
    return test::adjacent(to_mpi(mine.sources), to_mpi(mine.targets), base, info);
}

test::Info make_info(const Wishes& wishes)
{
    return {{"ortho_algorithm", wishes.algorithms.c_str()},
            {"ortho_assert_uniform", "true"},
            {"ortho_forward", wishes.forward ? "TRUE" : "false"}};
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

void close_gaps(Multigraph& graph)
{
    // Every slot moves up by the gaps before it.
    const auto move = [](const std::vector<int>& list, int& slot) {
        slot -= static_cast<int>(std::count(list.begin(), list.begin() + slot, gap));
    };
    for (cases::Pair& pair : graph.pairs) {
        move(graph.processes[at(pair.from)].targets, pair.out_edge);
        move(graph.processes[at(pair.to)].sources, pair.in_edge);
    }
    for (auto& process : graph.processes)
        for (auto* const list : {&process.sources, &process.targets}) std::erase(*list, gap);
}

Made random_multigraph(Random& random, MPI_Comm base)
{
    Made made{.graph = cases::random_graph(random, size(base), 6 * size(base))};
    made.comm = make_comm(base, made.graph.processes[at(rank(base))], MPI_INFO_NULL);
    return made;
}

Made random_stencil_graph(Random& random, MPI_Comm base, const Wishes& wishes)
{
    const Grid any = random_grid_of(random, size(base));
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
    const Grid any = random_grid_of(random, uniform(random, (size(base) + 1) / 2, size(base)));
    const Grid grid = row_major(any);
    const auto stencil = cases::random_stencil(random, grid.dimensions(), 9, 2);
    // Sizes are the same for the same slot everywhere, gaps included.
    Made made{.graph = neighborhood_graph(grid, stencil),
              .sizes = [](int, int slot) { return 1 + slot % 3; },
              .combines = true};
    const test::Info info = make_info(wishes);
    Ints periods = periods_of(grid);
    for (int& period : periods) period *= 7; // it is true as well
    made.comm = test::neighborhood(sizes_of(grid), periods, stencil.flat(), base, info);
    if (rank(base) >= grid.points())
        CHECK(made.comm == MPI_COMM_NULL);
    else
        CHECK_EQ(rank(made.comm), rank(base));
    return made;
}

} // namespace test
