// SPDX-License-Identifier: BSD-3-Clause
// Stencils that nobody has named: the grid is found from the edges, on several nodes (ORTHO_NODES), or it is
// not, on all processes alike.  Whatever is found, the blocks go where the lists say.

#include "grid/neighborhood.hpp"
#include "grids.hpp"

namespace {

using namespace ortho;

/// How a graph is made.
enum class By { adjacent, adjacent_weighted, edges };

MPI_Comm make(const grid::LocalGraph& mine, By by)
{
    if (by != By::edges) {
        const Ints in(mine.sources.size(), 3), out(mine.targets.size(), 3);
        return test::adjacent({mine.sources, in, mine.targets, out}, by == By::adjacent_weighted);
    }
    const int out = static_cast<int>(mine.targets.size());
    MPI_Comm graph = MPI_COMM_NULL;
    CHECK_OK(ORTHO_Dist_graph_create(MPI_COMM_WORLD, 1, &mine.rank, &out, mine.targets.data(), MPI_UNWEIGHTED,
                                     MPI_INFO_NULL, 0, &graph));
    return graph;
}

void exchange(MPI_Comm graph)
{
    for (int repeat = 0; repeat < 2; ++repeat) test::check_blocks(graph);
}

bool has_found_grid(MPI_Comm graph)
{
    std::vector<int> room(1000);
    const test::Request request = test::alltoall_init(room.data(), room.data() + 500, graph);
    const bool result = test::explanation(request).find("a grid that nobody has named") != std::string::npos;
    // Users are told of the grids alone that they have named.
    CHECK_EQ(test::isomorphic(graph), -1);
    int found = result ? 1 : 0, most = 0;
    MPI_Allreduce(&found, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    CHECK_EQ(found, most); // on all processes or on none
    return result;
}

/// With ORTHO_Dist_graph_create a process tells only where its edges lead.
bool is_searched(const std::vector<grid::LocalGraph>& lists, By by)
{
    return std::ranges::any_of(lists, [&](const grid::LocalGraph& one) {
        return one.targets.size() >= 3 || (by != By::edges && one.sources.size() >= 3);
    });
}

void stencils()
{
    cases::Random random(7);
    for (int repeat = 0; repeat < test::times(40); ++repeat) {
        const grid::Grid grid = test::random_grid_of(random, test::size());
        const auto neighborhood =
            grid::canonical(grid, cases::random_stencil(random, grid.dimensions(), 10, 2)).neighborhood;
        auto lists = cases::shuffled_graph(random, neighborhood).processes;
        for (grid::LocalGraph& one : lists)
            for (auto* const list : {&one.sources, &one.targets}) std::erase(*list, grid::gap);
        const By by = std::vector{By::adjacent, By::adjacent_weighted, By::edges}[at(repeat % 3)];
        test::Comm graph = make(lists[at(test::rank())], by);
        CHECK_EQ(has_found_grid(graph), is_searched(lists, by));
        exchange(graph);
        test::Comm copy;
        CHECK_OK(ORTHO_Comm_dup(graph, &copy));
        exchange(copy);
    }
}

/// One edge of a ring with its next neighbors but one leads elsewhere.
void no_stencil()
{
    const int p = test::size();
    if (p < 7) return;
    for (const By by : {By::adjacent, By::edges}) {
        std::vector<grid::LocalGraph> lists;
        for (int r = 0; r < p; ++r) {
            const std::vector<int> around{(r + 1) % p, (r + 2) % p, (r + p - 1) % p, (r + p - 2) % p};
            lists.push_back({r, around, around});
        }
        lists[0].targets[0] = 3; // not 1
        lists[3].sources.push_back(0);
        std::erase(lists[1].sources, 0);
        test::Comm graph = make(lists[at(test::rank())], by);
        CHECK(!has_found_grid(graph));
        exchange(graph);
    }
}

} // namespace

TEST_MAIN()
{
    test::return_errors(MPI_COMM_WORLD);
    setenv("ORTHO_NODES", "2", 1);
    if (test::size() > 2) stencils();
    no_stencil();
    unsetenv("ORTHO_NODES");
}
