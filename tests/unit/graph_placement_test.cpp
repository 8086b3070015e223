// SPDX-License-Identifier: BSD-3-Clause
// Placements of any graphs: never worse than as numbered, nodes keep their sizes.
#include "placement/graph_placement.hpp"

#include <chrono>

#include "placement/placement.hpp"

using namespace ortho::grid;
using namespace ortho::placement;
using cases::Random;
using cases::uniform;

namespace {

using Links = std::vector<PointGraph::Link>;

Links random_links(Random& random, int vertices)
{
    Links result;
    for (int n = uniform(random, 0, 4 * vertices); n > 0 && vertices > 1; --n) {
        const int from = uniform(random, 0, vertices - 1);
        const int to = (from + uniform(random, 1, vertices - 1)) % vertices;
        result.push_back({from, to, uniform(random, 0, 3) == 0 ? 1000 : uniform(random, 1, 3)});
    }
    return result;
}

/// A mesh n x n whose vertices have random numbers.
PointGraph shuffled_mesh(Random& random, int n)
{
    std::vector<int> number(at(n * n));
    std::iota(number.begin(), number.end(), 0);
    std::shuffle(number.begin(), number.end(), random);
    Links links;
    for (int i = 0; i < n * n; ++i) {
        if (i % n != 0) links.push_back({number[at(i)], number[at(i - 1)], 1});
        if (i >= n) links.push_back({number[at(i)], number[at(i - n)], 1});
    }
    return {n * n, links};
}

TEST(PlaceGraph, NeverWorseAndNodesKeepTheirSizes)
{
    Random random(1);
    int better = 0;
    for (int i = 0; i < 300; ++i) {
        const int processes = uniform(random, 1, 60);
        const Nodes nodes = cases::random_nodes(random, processes);
        const PointGraph graph(processes, random_links(random, processes));
        const std::vector<int> placed = place_graph(graph, nodes);
        std::vector<int> sizes(at(nodes.count()));
        for (const int node : placed) ++sizes[at(node)];
        EXPECT_TRUE(std::ranges::equal(sizes, nodes.sizes()));
        EXPECT_LE(cut_of(graph, placed), cut_of(graph, nodes.of_all()));
        if (cut_of(graph, placed) == cut_of(graph, nodes.of_all())) {
            EXPECT_TRUE(std::ranges::equal(placed, nodes.of_all())); // as numbered, then
        }
        better += cut_of(graph, placed) < cut_of(graph, nodes.of_all()) ? 1 : 0;
        EXPECT_EQ(placed, place_graph(graph, nodes));

        std::vector<int> order = processes_on_points(nodes, placed);
        for (int v = 0; v < processes; ++v) EXPECT_EQ(nodes.of(order[at(v)]), placed[at(v)]);
        std::ranges::sort(order);
        for (int v = 0; v < processes; ++v) EXPECT_EQ(order[at(v)], v);
    }
    EXPECT_GT(better, 150);
}

TEST(PlaceGraph, AMeshWithRandomNumbersIsFoundAgain)
{
    Random random(2);
    for (const int n : {8, 16, 32}) {
        const PointGraph graph = shuffled_mesh(random, n);
        const std::vector<int> sizes{16};
        const std::vector<int> placed = place_graph(graph, Nodes::consecutive(n * n, sizes));
        // Squares of 4 x 4 cut the least.
        const std::int64_t least = 2 * n * (n / 4 - 1);
        EXPECT_LE(cut_of(graph, placed) * 10, least * 14) << n;
    }
}

TEST(PlaceGraph, PiecesAreWholeOnTheirNodes)
{
    // Rings of 4, each of which a node could have.
    Links links;
    for (int i = 0; i < 64; ++i) links.push_back({i, (i + 16) % 64, 5});
    const PointGraph graph(64, links);
    const std::vector<int> sizes{4};
    EXPECT_EQ(cut_of(graph, place_graph(graph, Nodes::consecutive(64, sizes))), 0);
}

TEST(PlaceGraph, OfManyInSeconds)
{
    Random random(3);
    const PointGraph graph = shuffled_mesh(random, 128);
    const std::vector<int> sizes{64};
    const auto begin = std::chrono::steady_clock::now();
    const std::vector<int> placed = place_graph(graph, Nodes::consecutive(128 * 128, sizes));
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    EXPECT_LE(cut_of(graph, placed) * 10, std::int64_t{2 * 128 * 15} * 14);
    EXPECT_LT(seconds.count(), 30); // half a second, usually
}

TEST(PlaceGraph, OfNothingMuch)
{
    const std::vector<int> sizes{1};
    EXPECT_TRUE(place_graph(PointGraph(0, Links{}), Nodes()).empty());
    EXPECT_EQ(place_graph(PointGraph(1, Links{}), Nodes::consecutive(1, sizes)), std::vector<int>{0});
    EXPECT_EQ(place_graph(PointGraph(3, Links{}), Nodes::consecutive(3, sizes)), (std::vector<int>{0, 1, 2}));
}

} // namespace
