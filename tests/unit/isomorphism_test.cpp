// SPDX-License-Identifier: BSD-3-Clause
#include "grid/isomorphism.hpp"

using namespace ortho::grid;

namespace {

/// Does without messages what topology/agreement.cpp does with them.
std::optional<Neighborhood> detect_from_corners(const Grid& grid, const std::vector<LocalGraph>& graph)
{
    std::vector<Stencil> lists;
    for (const int corner : corners(grid))
        lists.push_back(edge_offsets(grid, corner, graph[at(corner)].targets, Direction::out));
    const Neighborhood found = merge_corners(grid, lists);
    for (const LocalGraph& process : graph)
        if (!match(found, process)) return std::nullopt;
    return found;
}

/// Detects the stencil on a torus, where each process knows it whole.
std::optional<Neighborhood> detect_from_each(const Grid& torus, const std::vector<LocalGraph>& graph)
{
    const auto first = as_of_one(torus, graph[0]);
    for (const LocalGraph& process : graph) {
        const auto its = as_of_one(torus, process);
        if (!first || !its || its->neighborhood != first->neighborhood) return std::nullopt;
        const auto slots = match(first->neighborhood, process);
        EXPECT_EQ(its->slots.send, slots->send);
        EXPECT_EQ(its->slots.receive, slots->receive);
    }
    return first->neighborhood;
}

std::optional<Neighborhood> detect(const Grid& grid, const std::vector<LocalGraph>& graph)
{
    auto found = detect_from_corners(grid, graph);
    if (grid.is_torus()) {
        EXPECT_EQ(detect_from_each(grid, graph), found);
    }
    return found;
}

TEST(Isomorphism, CornersOfATorusAreOne)
{
    EXPECT_EQ(corners(Grid({3, 4}, {1, 1})), std::vector<int>{0});
    EXPECT_EQ(corners(Grid({3, 4}, {0, 0})), (std::vector<int>{0, 3, 8, 11}));
    EXPECT_EQ(corners(Grid({3, 4}, {0, 1})), (std::vector<int>{0, 8}));
    EXPECT_EQ(corners(Grid({1, 4}, {0, 0})), (std::vector<int>{0, 3}));
}

TEST(Isomorphism, FindsEveryStencilOnEveryGrid) // D3, D5: any list order, meshes
{
    cases::Random random(4);
    for (int repeat = 0; repeat < 4000; ++repeat) {
        const Grid grid = cases::random_grid(random, 4, 40);
        const Neighborhood truth =
            canonical(grid, cases::random_stencil(random, grid.dimensions(), 8, 4)).neighborhood;
        const cases::Multigraph graph = cases::shuffled_graph(random, truth);
        const auto found = detect(grid, graph.processes);
        ASSERT_TRUE(found);
        ASSERT_EQ(*found, truth);

        // The slots pair edges as MPI does: block i of r arrives in slot i at r + N[i].
        for (const cases::Pair& pair : graph.pairs) {
            const auto from = match(*found, graph.processes[at(pair.from)]);
            const auto to = match(*found, graph.processes[at(pair.to)]);
            const auto sent = std::ranges::find(from->send, pair.out_edge) - from->send.begin();
            const auto received = std::ranges::find(to->receive, pair.in_edge) - to->receive.begin();
            ASSERT_EQ(sent, received);
        }
    }
}

TEST(Isomorphism, OneChangedEdgeIsSeen)
{
    cases::Random random(5);
    int seen = 0;
    for (int repeat = 0; repeat < 4000; ++repeat) {
        const Grid grid = cases::random_grid(random, 3, 30);
        const Neighborhood truth =
            canonical(grid, cases::random_stencil(random, grid.dimensions(), 6, 3)).neighborhood;
        auto graph = cases::shuffled_graph(random, truth).processes;
        auto& process = graph[at(cases::uniform(random, 0, grid.points() - 1))];
        auto& list = cases::uniform(random, 0, 1) == 0 ? process.sources : process.targets;
        if (list.empty() || grid.points() == 1) continue;
        // Replace a process by another one, or remove an edge.
        int& edge = list[at(cases::uniform(random, 0, static_cast<int>(list.size()) - 1))];
        if (cases::uniform(random, 0, 1) == 0)
            edge = (edge + cases::uniform(random, 1, grid.points() - 1)) % grid.points();
        else
            edge = gap;
        ASSERT_FALSE(detect(grid, graph));
        ++seen;
    }
    EXPECT_GT(seen, 1000);
}

TEST(Isomorphism, EqualInDegreesAreNotEnough) // D2: 0 -> {1,2}, 1 -> nobody, 2 -> 0
{
    const Grid ring({3}, {1});
    EXPECT_FALSE(detect(ring, {{0, {2}, {1, 2}}, {1, {0}, {}}, {2, {0}, {0}}}));
}

TEST(Isomorphism, AliasesAreOneOffset)
{
    // +2 is -1 on a ring of 3.
    const Grid ring({3}, {1});
    const auto found = detect(ring, {{0, {1}, {2}}, {1, {2}, {0}}, {2, {0}, {1}}});
    ASSERT_TRUE(found);
    EXPECT_EQ(found->offsets, Stencil(1, {-1}));
}

// Sorts by comparisons, however lexicographic_order() works.
std::vector<int> order_by_comparing(const Stencil& stencil)
{
    std::vector<int> order(at(stencil.size()));
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, [&](int a, int b) { return compare(stencil[a], stencil[b]) < 0; });
    return order;
}

TEST(Stencil, TheOrderIsThatOfComparing)
{
    cases::Random random(5);
    for (int i = 0; i < 3000; ++i) {
        Stencil stencil = cases::random_stencil(random, cases::uniform(random, 1, 5), 12, 3);
        EXPECT_EQ(lexicographic_order(stencil), order_by_comparing(stencil));
        if (stencil.size() == 0) continue;
        // With numbers that do not fit into one number together.
        std::vector<int> offset(at(stencil.dimensions()), cases::uniform(random, -2, 2) * 1'000'000'000);
        stencil.push_back(offset);
        for (int& n : offset) n = -n;
        stencil.push_back(offset);
        EXPECT_EQ(lexicographic_order(stencil), order_by_comparing(stencil));
    }
}

TEST(Canonical, ReducesSortsAndDrops)
{
    const Grid grid({3, 2}, {1, 0});
    const Canonical result = canonical(grid, Stencil(2, {4, 1, 0, 0, 1, 2, -2, -1, 1, 1}));
    EXPECT_EQ(result.neighborhood.offsets, Stencil(2, {0, 0, 1, -1, 1, 1, 1, 1}));
    EXPECT_EQ(result.index, (std::vector<int>{2, 0, gap, 1, 3}));
}

// Uniformity.

TEST(Uniformity, DesignsExamples)
{
    // (2,0) has no edges, and lies on the way of (2,2).
    const auto uniform_on = [](const Grid& grid, const Stencil& offsets) {
        return sizes_are_uniform(canonical(grid, offsets).neighborhood);
    };
    EXPECT_FALSE(uniform_on(Grid({3, 3}, {0, 0}), Stencil(2, {2, 2, 2, 1, 1, 2})));
    // With +1, -1, even and odd processes of a ring of 4 may use different sizes.
    EXPECT_FALSE(uniform_on(Grid({4}, {1}), Stencil(1, {1, -1})));
    EXPECT_TRUE(uniform_on(Grid({5}, {1}), Stencil(1, {1, -1})));
    EXPECT_TRUE(uniform_on(Grid({4}, {1}), Stencil(1, {1, 0})));
    EXPECT_FALSE(uniform_on(Grid({4}, {1}), Stencil(1, {2})));
    EXPECT_TRUE(uniform_on(Grid({1}, {1}), Stencil(1, {0})));
    EXPECT_FALSE(uniform_on(Grid({1}, {1}), Stencil(1, std::vector<int>{})));
}

TEST(Uniformity, CommonStencilsOnLargeMeshes)
{
    const auto connects = [](int d, const std::vector<std::vector<int>>& offsets) {
        Stencil stencil(d);
        for (const auto& offset : offsets) stencil.push_back(offset);
        const Grid grid(std::vector<int>(at(d), 200), std::vector<char>(at(d)));
        return uniformity::has_connecting_pattern(canonical(grid, stencil).neighborhood);
    };
    auto moore = cases::box(3, -1, 1);
    EXPECT_TRUE(connects(3, moore));
    moore.erase(moore.begin() + 13); // its centre
    EXPECT_TRUE(connects(3, moore));
    EXPECT_TRUE(connects(2, {{0, 0}, {1, 0}, {0, -1}}));
    EXPECT_FALSE(connects(2, {{1, 0}, {-1, 0}, {0, 1}, {0, -1}}));
}

TEST(Uniformity, TheShortcutsAgreeWithTheUnionOfAllEdges)
{
    cases::Random random(6);
    int yes = 0, shown = 0;
    for (int repeat = 0; repeat < 6000; ++repeat) {
        const Grid grid = cases::random_grid(random, 4, 60);
        const Neighborhood n =
            canonical(grid, cases::random_stencil(random, grid.dimensions(), 12, 2)).neighborhood;
        const bool truth = uniformity::one_component(n);
        if (grid.is_torus()) {
            ASSERT_EQ(uniformity::differences_generate(n), truth);
        }
        if (uniformity::has_connecting_pattern(n)) {
            ASSERT_TRUE(truth);
            ++shown;
        }
        yes += truth ? 1 : 0;
    }
    EXPECT_GT(yes, 500);
    EXPECT_GT(shown, 100);
}

} // namespace
