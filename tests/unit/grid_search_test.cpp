// SPDX-License-Identifier: BSD-3-Clause
// Stencils and grids that are found in lists of edges.
#include "grid/grid_search.hpp"

#include "grid/isomorphism.hpp"

using namespace ortho::grid;

namespace {

using Lists = std::vector<LocalGraph>;

/// Would the processes look for a grid?  They know all their edges, or each edge is known somewhere.
bool is_mirrored(const Lists& lists, bool by_edges)
{
    const int p = static_cast<int>(lists.size());
    std::vector<long long> originals, mirrors;
    const auto add = [&](const MirrorHashes& hashes) {
        originals.push_back(hashes.original);
        mirrors.push_back(hashes.mirror);
    };
    for (const LocalGraph& one : lists) {
        if (!by_edges) add({p, one});
        for (const int target : one.targets)
            if (by_edges && target != gap) add({p, one.rank, target});
    }
    return originals.empty() || (std::ranges::max(originals) == std::ranges::max(mirrors) &&
                                 std::ranges::min(originals) == std::ranges::min(mirrors));
}

// The following functions do without messages what topology/agreement.cpp does with them.

/// The stencil that the lists of the corners make, if the processes to `ask` have it, too.
template <class ListsOf>
std::optional<Neighborhood> from_corners(const Grid& grid, const ListsOf& lists_of,
                                         const std::vector<int>& ask)
{
    std::vector<Stencil> of_corners;
    for (const int corner : corners(grid))
        of_corners.push_back(edge_offsets(grid, corner, lists_of(corner).targets, Direction::out));
    Neighborhood found = merge_corners(grid, of_corners);
    for (const int rank : ask)
        if (!match(found, lists_of(rank))) return std::nullopt;
    return found;
}
/// All processes.
std::vector<int> all_of(const Lists& lists)
{
    std::vector<int> all(lists.size());
    std::iota(all.begin(), all.end(), 0);
    return all;
}
std::optional<Neighborhood> from_corners(const Grid& grid, const Lists& lists)
{
    return from_corners(
        grid, [&](int rank) { return lists[at(rank)]; }, all_of(lists));
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
    const auto found = from_corners(grid, graph);
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
        const Neighborhood truth = cases::random_neighborhood(random, 4, 40, 8, 4);
        const Grid& grid = truth.grid;
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
        const Neighborhood truth = cases::random_neighborhood(random, 3, 30, 6, 3);
        const Grid& grid = truth.grid;
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
        const Neighborhood n = cases::random_neighborhood(random, 4, 60, 12, 2);
        const Grid& grid = n.grid;
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

// --- Grids that nobody has named ------------------------------------------------------------------------

template <class ListsOf>
std::optional<Neighborhood> search(int p, const ListsOf& lists_of, const std::vector<int>& ask)
{
    Lists known;
    for (const int rank : searched_ranks(p)) known.push_back(lists_of(rank));
    const std::optional<Grid> grid = find_grid(p, known);
    return grid ? from_corners(*grid, lists_of, ask) : std::nullopt;
}

std::optional<Neighborhood> search(const Lists& lists)
{
    return search(
        static_cast<int>(lists.size()), [&](int rank) { return lists[at(rank)]; }, all_of(lists));
}

Grid grid_of(cases::Random& random, int most_points)
{
    const int d = cases::uniform(random, 1, 4);
    std::vector<int> sizes(at(d));
    std::vector<char> periodic(at(d));
    for (int k = 0, points = 1; k < d; points *= sizes[at(k++)]) {
        const int room = most_points / points;
        // Large grids must not be large in one dimension alone.
        sizes[at(k)] = cases::uniform(random, 1, k + 1 == d ? room : std::min(room, 24));
        periodic[at(k)] = static_cast<char>(cases::uniform(random, 0, 1));
    }
    return Grid(sizes, periodic, cases::uniform(random, 0, 1) == 0 ? Order::row_major : Order::col_major);
}

Neighborhood neighborhood_of(cases::Random& random, const Grid& grid, int reach)
{
    return canonical(grid, cases::random_stencil(random, grid.dimensions(), 12, reach)).neighborhood;
}

/// The messages of a process if blocks cross one dimension at a time.
int hops(const Neighborhood& neighborhood)
{
    int result = 0;
    for (int k = 0; k < neighborhood.dimensions(); ++k) {
        std::set<int> steps{0};
        for (int i = 0; i < neighborhood.size(); ++i) steps.insert(neighborhood.offsets(i, k));
        result += static_cast<int>(steps.size()) - 1;
    }
    return result;
}

TEST(GridSearch, FindsEveryStencilOnEveryGrid)
{
    cases::Random random(1);
    for (int repeat = 0; repeat < cases::times(2000); ++repeat) {
        const Grid grid = grid_of(random, repeat % 8 == 0 ? 600 : 64);
        const Neighborhood truth = neighborhood_of(random, grid, 2);
        const Lists lists = cases::shuffled_graph(random, truth).processes;
        ASSERT_TRUE(is_mirrored(lists, true));
        ASSERT_TRUE(is_mirrored(lists, false));
        const auto found = search(lists);
        if (grid.points() == 1) continue;
        ASSERT_TRUE(found);
        // All edges are asked for where there are few processes.  So no grid can be better.
        if (grid.points() <= 64) {
            ASSERT_LE(hops(*found), hops(truth));
        }
    }
}

TEST(GridSearch, FindsStencilsOnLargeGrids)
{
    cases::Random random(2);
    for (int repeat = 0; repeat < cases::times(100); ++repeat) {
        const Grid grid = grid_of(random, 100000);
        const int p = grid.points();
        const Neighborhood truth = neighborhood_of(random, grid, repeat % 2 + 1);
        std::vector<int> some;
        for (int i = 0; i < 200; ++i) some.push_back(cases::uniform(random, 0, p - 1));
        const auto lists_of = [&](int rank) { return cases::lists_at(truth, rank); };
        ASSERT_TRUE(p == 1 || search(p, lists_of, some)) << repeat;
    }
}

TEST(GridSearch, FindsTheGridThatAProgramMeans)
{
    for (const Grid& grid : {Grid({6, 5}, {1, 1}), Grid({6, 5}, {0, 0}), Grid({4, 4, 4}, {0, 1, 0}),
                             Grid({30, 40, 50}, {1, 1, 1}), Grid({48, 46, 45}, {0, 0, 0})}) {
        const Neighborhood box = canonical(grid, cases::all_of(grid.dimensions(), -1, 1)).neighborhood;
        const auto found = search(grid.points(), [&](int rank) { return cases::lists_at(box, rank); }, {});
        ASSERT_TRUE(found);
        EXPECT_EQ(*found, box);
    }
}

TEST(GridSearch, TakesNoOtherGraphForAStencil)
{
    cases::Random random(3);
    int searched = 0, changed = 0;
    for (int repeat = 0; repeat < cases::times(4000); ++repeat) {
        const Grid grid = grid_of(random, repeat % 8 == 0 ? 300 : 40);
        const int p = grid.points();
        const Neighborhood truth = neighborhood_of(random, grid, 2);
        auto lists = cases::shuffled_graph(random, truth).processes;
        // An edge less or an edge to another process, for both its ends.
        const int from = cases::uniform(random, 0, p - 1);
        auto& targets = lists[at(from)].targets;
        if (p < 3 || targets.empty()) continue;
        const auto edge = targets.begin() + cases::uniform(random, 0, static_cast<int>(targets.size()) - 1);
        const int to = *edge;
        auto& sources = lists[at(to)].sources;
        sources.erase(std::ranges::find(sources, from));
        targets.erase(edge);
        if (cases::uniform(random, 0, 1) == 0) {
            const int other = (to + cases::uniform(random, 1, p - 1)) % p;
            targets.push_back(other);
            lists[at(other)].sources.push_back(from);
        }
        ++changed;
        // It may be a stencil again, on some grid: then that one has exactly these edges.
        if (const auto found = search(lists)) {
            const auto sorted = [](std::vector<int> list) {
                std::erase(list, gap);
                std::ranges::sort(list);
                return list;
            };
            for (const LocalGraph& one : lists) {
                const LocalGraph of_stencil = cases::lists_at(*found, one.rank);
                ASSERT_EQ(sorted(one.targets), sorted(of_stencil.targets));
                ASSERT_EQ(sorted(one.sources), sorted(of_stencil.sources));
            }
            ++searched;
        }
    }
    EXPECT_GT(changed, cases::times(2000));
    EXPECT_LT(searched, changed / 20);
}

TEST(GridSearch, RandomGraphsAreNotEvenSearched)
{
    cases::Random random(4);
    int graphs = 0, mirrored = 0, mirrored_by_edges = 0;
    for (int repeat = 0; repeat < cases::times(2000); ++repeat) {
        const int p = cases::uniform(random, 16, 64);
        Lists lists;
        for (int rank = 0; rank < p; ++rank) lists.push_back({rank, {}, {}});
        for (int rank = 0; rank < p; ++rank) // symmetric, as those of meshes are
            for (int i = 0; i < 3; ++i) {
                const int other = cases::uniform(random, 0, p - 1);
                lists[at(rank)].targets.push_back(other);
                lists[at(other)].sources.push_back(rank);
                lists[at(other)].targets.push_back(rank);
                lists[at(rank)].sources.push_back(other);
            }
        ++graphs;
        if (is_mirrored(lists, false)) ++mirrored;
        if (is_mirrored(lists, true)) ++mirrored_by_edges;
    }
    EXPECT_LE(mirrored, graphs / 200);
    EXPECT_LE(mirrored_by_edges, graphs / 20);
}

} // namespace
