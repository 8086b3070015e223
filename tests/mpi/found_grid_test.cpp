// SPDX-License-Identifier: BSD-3-Clause
// Stencils that nobody has named: the grid is found from the edges, on several nodes (ORTHO_NODES), or it is
// not, on all processes alike.  Whatever is found, the blocks go where the lists say.

#include "grid/neighborhood.hpp"

namespace {

using namespace ortho;

/// How a graph is made.
enum class By { adjacent, adjacent_weighted, edges };

MPI_Comm make(const grid::LocalGraph& lists, By by)
{
    const int in = static_cast<int>(lists.sources.size()), out = static_cast<int>(lists.targets.size());
    const std::vector<int> weights(at(std::max(in, out)) + 1, 3);
    const int* const weight = by == By::adjacent_weighted ? weights.data() : MPI_UNWEIGHTED;
    MPI_Comm graph = MPI_COMM_NULL;
    if (by == By::edges)
        CHECK_OK(ORTHO_Dist_graph_create(MPI_COMM_WORLD, 1, &lists.rank, &out, lists.targets.data(),
                                         MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph));
    else
        CHECK_OK(ORTHO_Dist_graph_create_adjacent(MPI_COMM_WORLD, in, lists.sources.data(), weight, out,
                                                  lists.targets.data(), weight, MPI_INFO_NULL, 0, &graph));
    return graph;
}

/// The values of edges between this process and its partners: the k-th edge of two processes has one number.
std::vector<int> values(const std::vector<int>& partners, bool out)
{
    const int p = test::size();
    std::map<int, int> seen;
    std::vector<int> result;
    for (const int partner : partners) {
        const int from = out ? test::rank() : partner, to = out ? partner : test::rank();
        result.push_back((from * p + to) * 100 + seen[partner]++);
    }
    return result;
}

void exchange(MPI_Comm graph)
{
    int in = 0, out = 0, weighted = 0;
    CHECK_OK(ORTHO_Dist_graph_neighbors_count(graph, &in, &out, &weighted));
    std::vector<int> sources(at(in)), targets(at(out)), weights(at(std::max(in, out)) + 1);
    CHECK_OK(ORTHO_Dist_graph_neighbors(graph, in, sources.data(), weights.data(), out, targets.data(),
                                        weights.data()));
    const std::vector<int> sent = values(targets, true);
    std::vector<int> received(at(in) + 1, -1);
    for (int repeat = 0; repeat < 2; ++repeat)
        CHECK_OK(ORTHO_Alltoall(sent.data(), 1, MPI_INT, received.data(), 1, MPI_INT, graph));
    received.pop_back();
    CHECK(received == values(sources, false));
}

bool has_found_grid(MPI_Comm graph)
{
    ORTHO_Request request = ORTHO_REQUEST_NULL;
    int flag = -1, t = -1;
    std::vector<int> room(1000);
    CHECK_OK(ORTHO_Alltoall_init(room.data(), 1, MPI_INT, room.data() + 500, 1, MPI_INT, graph, MPI_INFO_NULL,
                                 &request));
    const bool result = test::explanation(request).find("a grid that nobody has named") != std::string::npos;
    CHECK_OK(ORTHO_Request_free(&request));
    // Users are told of the grids alone that they have named.
    CHECK_OK(ORTHO_Comm_isomorphic(graph, &flag, &t));
    CHECK_EQ(flag, 0);
    int found = result ? 1 : 0, most = 0;
    MPI_Allreduce(&found, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    CHECK_EQ(found, most); // on all processes or on none
    return result;
}

grid::Grid random_grid(cases::Random& random)
{
    std::vector<int> sizes;
    std::vector<char> periodic;
    for (int left = test::size(); left > 1 || sizes.empty();) {
        int size = cases::uniform(random, std::min(left, 2), left);
        while (left % size != 0) ++size;
        if (sizes.size() == 2) size = left;
        sizes.push_back(size);
        periodic.push_back(static_cast<char>(cases::uniform(random, 0, 1)));
        left /= size;
    }
    return {sizes, periodic};
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
        const grid::Grid grid = random_grid(random);
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
    if (test::size() > 1) {
        setenv("ORTHO_NODES", "2", 1);
        if (test::size() > 2) stencils();
        no_stencil();
        unsetenv("ORTHO_NODES");
    }
}
