// SPDX-License-Identifier: BSD-3-Clause
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

/// Does without messages what topology/agreement.cpp does with them.  Returns the stencil on the grid that is
/// found, if the processes to `ask` have it, too.
template <class ListsOf>
std::optional<Neighborhood> search(int p, const ListsOf& lists_of, const std::vector<int>& ask)
{
    Lists known;
    for (const int rank : searched_ranks(p)) known.push_back(lists_of(rank));
    const std::optional<Grid> grid = find_grid(p, known);
    if (!grid) return std::nullopt;
    std::vector<Stencil> of_corners;
    for (const int corner : corners(*grid))
        of_corners.push_back(edge_offsets(*grid, corner, lists_of(corner).targets, Direction::out));
    Neighborhood found = merge_corners(*grid, of_corners);
    for (const int rank : ask)
        if (!match(found, lists_of(rank))) return std::nullopt;
    return found;
}

std::optional<Neighborhood> search(const Lists& lists)
{
    std::vector<int> all(lists.size());
    std::iota(all.begin(), all.end(), 0);
    return search(
        static_cast<int>(lists.size()), [&](int rank) { return lists[at(rank)]; }, all);
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
