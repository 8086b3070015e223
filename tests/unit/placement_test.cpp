// SPDX-License-Identifier: BSD-3-Clause
#include "placement/placement.hpp"

#include <chrono>

#include "placement/boxes.hpp"
#include "placement/dims.hpp"
#include "placement/graph_placement.hpp"
#include "placement/gropp.hpp"
#include "placement/kernighan_lin.hpp"
#include "placement/point_graph.hpp"
#include "placement/strips.hpp"
#include "plan/edge_cut_bound.hpp"
#include "plan/partners.hpp"

using namespace ortho::grid;
using namespace ortho::placement;
using plan::count_partners;
using plan::least_cut;
using plan::Partners;

namespace {

/// A neighborhood, weights and nodes.
struct Case {
    Neighborhood neighborhood;
    std::vector<std::int64_t> weights;
    Nodes nodes;

    int points() const { return neighborhood.grid.points(); }
};

/// A step each way in each dimension.
Neighborhood steps(const Grid& grid)
{
    Stencil stencil(grid.dimensions());
    std::vector<int> step(at(grid.dimensions()));
    for (int& coordinate : step)
        for (const int way : {-1, 1}) {
            coordinate = way;
            stencil.push_back(step);
            coordinate = 0;
        }
    return canonical(grid, stencil).neighborhood;
}

Neighborhood moore(const Grid& grid)
{
    return canonical(grid, cases::all_of(grid.dimensions(), -1, 1)).neighborhood;
}

Grid mesh(const std::vector<int>& sizes) { return {sizes, std::vector<char>(sizes.size())}; }
Grid torus(const std::vector<int>& sizes) { return {sizes, std::vector<char>(sizes.size(), 1)}; }

Case of_nodes(const Neighborhood& neighborhood, const std::vector<int>& sizes)
{
    return {neighborhood, {}, Nodes::consecutive(neighborhood.grid.points(), sizes)};
}

Case random_case(cases::Random& random, int most_points)
{
    const Grid grid = cases::random_grid(random, 4, most_points);
    Case result{canonical(grid, cases::random_stencil(random, grid.dimensions(), 6, 2)).neighborhood,
                {},
                cases::random_nodes(random, grid.points())};
    if (cases::uniform(random, 0, 1) == 0)
        for (int i = 0; i < result.neighborhood.size(); ++i)
            result.weights.push_back(cases::uniform(random, 0, 9));
    return result;
}

/// The interval of a coordinate.
int interval_of(int size, int count, int coordinate)
{
    int i = 0;
    while (coordinate >= begin_of(size, count, i + 1)) ++i;
    return i;
}

std::int64_t weight(const Case& of, int i) { return of.weights.empty() ? 1 : of.weights[at(i)]; }

/// Counts edge by edge.
EdgeCut plain_cut(const Case& of, std::span<const int> node_of)
{
    std::map<int, std::int64_t> leaving;
    EdgeCut result;
    for (int point = 0; point < of.points(); ++point)
        for (int i = 0; i < of.neighborhood.size(); ++i) {
            const int target = of.neighborhood.grid.neighbor(point, of.neighborhood.offsets[i]);
            if (target == Grid::nowhere || node_of[at(target)] == node_of[at(point)]) continue;
            result.total += weight(of, i);
            result.of_a_node = std::max(result.of_a_node, leaving[node_of[at(point)]] += weight(of, i));
        }
    return result;
}

EdgeCut cut_of_placement(const Case& of, const std::vector<int>& process_at)
{
    std::vector<int> node_of;
    for (const int process : process_at) node_of.push_back(of.nodes.of(process));
    return plain_cut(of, node_of);
}

Placement placed(const Case& of) { return place(of.neighborhood, of.weights, std::vector{of.nodes}); }
EdgeCut cut_placed(const Case& of) { return cut_of_placement(of, placed(of).process_at); }

void expect_permutation(std::vector<int> list, int n)
{
    std::ranges::sort(list);
    ASSERT_EQ(std::ssize(list), n);
    for (int i = 0; i < n; ++i) ASSERT_EQ(list[at(i)], i);
}

/// The processes of a node are in order.
void expect_order(const Nodes& nodes, const std::vector<int>& process_at)
{
    std::vector<int> last(at(nodes.count()), -1);
    for (const int process : process_at)
        EXPECT_LT(std::exchange(last[at(nodes.of(process))], process), process);
}

/// The least cut, by trying all.
std::int64_t brute_force(const Case& of)
{
    std::vector<int> room(of.nodes.sizes().begin(), of.nodes.sizes().end());
    std::vector<int> node_of(at(of.points()));
    std::int64_t best = -1;
    const std::function<void(int)> go = [&](int point) {
        if (point == of.points()) {
            const std::int64_t cut = plain_cut(of, node_of).total;
            if (best == -1 || cut < best) best = cut;
            return;
        }
        for (int node = 0; node < of.nodes.count(); ++node) {
            if (room[at(node)] == 0) continue;
            --room[at(node)];
            node_of[at(point)] = node;
            go(point + 1);
            ++room[at(node)];
        }
    };
    go(0);
    return best;
}

/// The number of ways to spread nodes over points; a large number if there are very many.
double ways(const Nodes& nodes)
{
    double result = 1;
    int left = nodes.processes();
    for (const int size : nodes.sizes())
        for (int i = 0; i < size; ++i) result *= static_cast<double>(left--) / (i + 1);
    return result;
}

void expect_sizes(const Nodes& nodes, std::span<const int> node_of)
{
    std::vector<int> sizes(at(nodes.count()));
    ASSERT_EQ(std::ssize(node_of), nodes.processes());
    for (const int node : node_of) ++sizes.at(at(node));
    EXPECT_TRUE(std::ranges::equal(sizes, nodes.sizes()));
}

TEST(EdgeCut, IsWhatEdgesSay)
{
    cases::Random random(11);
    for (int repeat = 0; repeat < cases::times(600); ++repeat) {
        const Case of = random_case(random, 60);
        EXPECT_EQ(count_cut(of.neighborhood, of.weights, of.nodes.of_all()),
                  plain_cut(of, of.nodes.of_all()));
        const std::int64_t total = plain_cut(of, of.nodes.of_all()).total;
        EXPECT_EQ(cut_of(PointGraph(of.neighborhood, of.weights), of.nodes.of_all()), total);
    }
}

TEST(EdgeCut, PartnersAreCounted)
{
    cases::Random random(12);
    for (int repeat = 0; repeat < cases::times(300); ++repeat) {
        const Case of = random_case(random, 40);
        const Grid& grid = of.neighborhood.grid;
        for (const bool missing : {false, true}) {
            std::vector<int> on(at(of.points())), off(at(of.points()));
            for (int point = 0; point < of.points(); ++point)
                for (int i = 0; i < of.neighborhood.size(); ++i) {
                    const int target = grid.neighbor(point, of.neighborhood.offsets[i]);
                    if (target == point) continue;
                    if (target == Grid::nowhere)
                        off[at(point)] += missing ? 1 : 0;
                    else
                        ++(of.nodes.of(target) == of.nodes.of(point) ? on : off)[at(point)];
                }
            const Partners partners = count_partners(of.neighborhood, of.nodes.of_all(), missing);
            const auto expect = [](const Partners::Range& range, const std::vector<int>& numbers) {
                EXPECT_EQ(range.min, *std::ranges::min_element(numbers));
                EXPECT_EQ(range.max, *std::ranges::max_element(numbers));
                EXPECT_EQ(range.sum, std::accumulate(numbers.begin(), numbers.end(), 0));
            };
            expect(partners.on_node, on);
            expect(partners.off_node, off);
        }
    }
}

TEST(EdgeCut, OfBoxesInClosedForm)
{
    cases::Random random(13);
    for (int repeat = 0; repeat < cases::times(400); ++repeat) {
        const Case of = random_case(random, 120);
        const Grid& grid = of.neighborhood.grid;
        std::vector<int> counts;
        for (int k = 0; k < grid.dimensions(); ++k) counts.push_back(cases::uniform(random, 1, grid.size(k)));
        std::vector<int> box_of;
        for (int point = 0; point < grid.points(); ++point) {
            int box = 0;
            for (int k = 0; k < grid.dimensions(); ++k) {
                const int i = interval_of(grid.size(k), counts[at(k)], grid.coordinate(point, k));
                box = box * counts[at(k)] + i;
            }
            box_of.push_back(box);
        }
        EXPECT_EQ(cut_of_boxes(of.neighborhood, of.weights, counts), plain_cut(of, box_of).total);
    }
}

// W. D. Gropp, Table 3: a shift of 1 each way in each dimension, 16 processes on each node.  The numbers of
// partners on and off the node sum up to the same everywhere.  Yet the 16 processes of the last dimension
// close no ring on their node: the mesh has borders, and MPI_PROC_NULL counts as a partner on another node.
TEST(Placement, GroppsTable3)
{
    struct Row {
        std::vector<int> sizes;
        bool is_nodecart;
        int on_min, on_max;
        double on_avg;
        int off_min, off_max;
        double off_avg;
    };
    const Row rows[] = {{{128, 128}, false, 1, 2, 1.88, 2, 3, 2.12},
                        {{128, 128}, true, 2, 4, 3.00, 0, 2, 1.00},
                        {{32, 32, 16}, false, 1, 2, 1.88, 4, 5, 4.12},
                        {{32, 32, 16}, true, 3, 4, 3.50, 2, 3, 2.50}};
    for (const Row& row : rows) {
        const Case of = of_nodes(steps(mesh(row.sizes)), {16});
        const auto answer = gropp(of.neighborhood.grid, of.nodes);
        ASSERT_TRUE(answer.has_value());
        const Partners partners = row.is_nodecart ? count_partners(of.neighborhood, *answer, true)
                                                  : count_partners(of.neighborhood, of.nodes.of_all(), true);
        EXPECT_EQ(partners.on_node.min, row.on_min);
        EXPECT_EQ(partners.on_node.max, row.on_max);
        EXPECT_EQ(partners.off_node.min, row.off_min);
        EXPECT_EQ(partners.off_node.max, row.off_max);
        // Exact to the printed digits: 1.875 is printed as 1.88, 2.125 as 2.12.
        EXPECT_NEAR(static_cast<double>(partners.on_node.sum) / of.points(), row.on_avg, 0.0051);
        EXPECT_NEAR(static_cast<double>(partners.off_node.sum) / of.points(), row.off_avg, 0.0051);
    }
}

TEST(Placement, GroppsBoxes)
{
    EXPECT_EQ(gropp_box(mesh({9, 8, 8}), 36), (std::vector{9, 2, 2}));
    EXPECT_EQ(gropp_box(mesh({12, 8, 6}), 36), (std::vector{3, 4, 3}));
    EXPECT_EQ(gropp_box(mesh({128, 128}), 16), (std::vector{4, 4}));
    EXPECT_EQ(gropp_box(mesh({32, 32, 16}), 16), (std::vector{4, 2, 2}));
    EXPECT_EQ(gropp_box(mesh({4, 4}), 3), std::nullopt);
    EXPECT_EQ(gropp_box(mesh({12}), 1), std::vector{1});
    std::string why;
    EXPECT_FALSE(gropp(mesh({4, 4}), Nodes::consecutive(16, std::vector{4, 5}), &why).has_value());
    EXPECT_EQ(why, "nodes have different sizes");
}

TEST(Placement, OfSomeGrids)
{
    const struct {
        Neighborhood neighborhood;
        int node, before, after;
    } rows[] = {
        {moore(torus({4, 4})), 4, 96, 80}, // the numbers of the wire test
        {steps(mesh({4, 4})), 4, 24, 16},
        {steps(mesh({8, 8})), 16, 48, 32},
        {steps(Grid({12, 8, 6}, {0, 0, 0}, Order::row_major)), 36, 1200, 624},
        {steps(Grid({12, 8, 6}, {0, 0, 0}, Order::col_major)), 36, 1296, 624},
    };
    for (const auto& row : rows) {
        const Case of = of_nodes(row.neighborhood, {row.node});
        EXPECT_EQ(plain_cut(of, of.nodes.of_all()).total, row.before);
        EXPECT_EQ(cut_placed(of).total, row.after);
        EXPECT_LE(least_cut(row.neighborhood, {}, of.nodes.sizes()), row.after);
    }
}

// Boxes of 9 x 2 x 2 cut 864; they are the only boxes of 36 points that divide 9 x 8 x 8 well.
TEST(Placement, BetterThanBoxes)
{
    const Case of = of_nodes(steps(mesh({9, 8, 8})), {36});
    EXPECT_EQ(count_cut(of.neighborhood, {}, on_boxes(of.neighborhood.grid, {9, 2, 2})).total, 864);
    EXPECT_LE(cut_placed(of).total, 664);
}

// An exchange lasts as long as the busiest node sends.  Strips cut 138 edges, 26 of them of one node, boxes
// of 9 x 4 cut 140 and 22.  Where all cut alike, Gropp's boxes of 4 x 2 x 2 in the middle cut 40.
TEST(Placement, TheBusiestNodeDecides)
{
    for (const auto& [sizes, size, most] :
         {std::tuple(std::vector{18, 16}, 36, 22), std::tuple(std::vector{16, 8, 8}, 16, 36)}) {
        const Case of = of_nodes(steps(mesh(sizes)), {size});
        const Placement placement = placed(of);
        EXPECT_LE(cut_of_placement(of, placement.process_at).of_a_node, most);
    }
}

TEST(Placement, IsAPermutationAndNeverWorse)
{
    cases::Random random(14);
    for (int repeat = 0; repeat < cases::times(1500); ++repeat) {
        const Case of = random_case(random, repeat % 10 == 0 ? 300 : 60);
        const std::vector<Proposal> proposals = propose(of.neighborhood, of.weights, of.nodes);
        const std::int64_t bound = least_cut(of.neighborhood, of.weights, of.nodes.sizes());
        for (const Proposal& proposal : proposals) {
            if (!proposal.has_answer()) {
                EXPECT_FALSE(proposal.why_not.empty()) << proposal.method;
                continue;
            }
            expect_sizes(of.nodes, proposal.node_of);
            EXPECT_EQ(proposal.cut, plain_cut(of, proposal.node_of)) << proposal.method;
            EXPECT_GE(proposal.cut.total, bound) << proposal.method;
        }
        const Placement placement = placed(of);
        expect_permutation(placement.process_at, of.points());
        const EdgeCut cut = cut_of_placement(of, placement.process_at);
        const EdgeCut before = plain_cut(of, of.nodes.of_all());
        const auto is_no_worse = [](const EdgeCut& a, const EdgeCut& b) {
            return a.total <= b.total && a.of_a_node <= b.of_a_node;
        };
        EXPECT_TRUE(is_no_worse(cut, before));
        EXPECT_LE(cut, best_of(proposals).cut);
        if (placement.method == "as numbered") {
            EXPECT_TRUE(std::ranges::is_sorted(placement.process_at));
        }
        if (const auto his = gropp(of.neighborhood.grid, of.nodes)) {
            const EdgeCut of_his = plain_cut(of, *his);
            EXPECT_TRUE(is_no_worse(cut, of_his) || !is_no_worse(of_his, before));
        }
        expect_order(of.nodes, placement.process_at);
        // A second call gives the same result.
        EXPECT_EQ(placed(of).process_at, placement.process_at);
    }
}

TEST(Placement, RoundRobinNodesAreGatheredAgain)
{
    std::vector<int> labels;
    for (int i = 0; i < 64; ++i) labels.push_back(i % 4);
    const Case scattered{steps(mesh({8, 8})), {}, Nodes(labels)};
    EXPECT_EQ(plain_cut(scattered, scattered.nodes.of_all()).total, 2 * 7 * 8);
    EXPECT_EQ(cut_placed(scattered).total, 32); // as in OfSomeGrids
}

TEST(Placement, HeavyEdgesStay)
{
    // Columns exchange much, so nodes are columns.
    const Grid grid = mesh({6, 6});
    const Stencil stencil(2, {1, 0, -1, 0, 0, 1, 0, -1});
    const Canonical form = canonical(grid, stencil);
    std::vector<std::int64_t> weights(4);
    for (int i = 0; i < 4; ++i) weights[at(form.index[at(i)])] = i < 2 ? 100 : 1;
    const Case of{form.neighborhood, weights, Nodes::consecutive(36, std::vector{6})};
    EXPECT_EQ(cut_placed(of).total, 2 * 5 * 6);
}

// No placement is below the bound: all placements of small grids, with odd stencils, weights and unequal
// nodes.
TEST(Placement, TheBoundHolds)
{
    cases::Random random(16);
    int tight = 0, positive = 0;
    for (int repeat = 0; repeat < cases::times(4000); ++repeat) {
        const Grid grid = cases::random_grid(random, 4, 12);
        Case of{canonical(grid, cases::random_stencil(random, grid.dimensions(), 8, 3)).neighborhood,
                {},
                cases::random_nodes(random, grid.points())};
        if (repeat % 3 == 0) of.neighborhood = repeat % 2 == 0 ? moore(grid) : steps(grid);
        if (ways(of.nodes) > 3000) continue;
        if (repeat % 2 == 0)
            for (int i = 0; i < of.neighborhood.size(); ++i)
                of.weights.push_back(cases::uniform(random, 0, 9));
        const std::int64_t best = brute_force(of);
        const std::int64_t bound = least_cut(of.neighborhood, of.weights, of.nodes.sizes());
        ASSERT_LE(bound, best);
        tight += bound == best && best > 0 ? 1 : 0;
        positive += best > 0 ? 1 : 0;
    }
    EXPECT_GT(2 * tight, positive) << "a bound that says nothing holds, too";
}

// Larger grids: some placements reach the bound.
TEST(Placement, TheBoundIsReachedByBoxes)
{
    const auto least = [](const Grid& grid, int node) {
        return least_cut(steps(grid), {}, of_nodes(steps(grid), {node}).nodes.sizes());
    };
    EXPECT_EQ(least(mesh({128, 128}), 16), 15872);
    EXPECT_EQ(least(mesh({32, 32, 16}), 16), 36864);
    EXPECT_EQ(least(torus({64, 64}), 64), 64 * 32);
    EXPECT_EQ(least(torus({12, 12, 12}), 27), 64 * 54);
    EXPECT_EQ(least(torus({4, 64}), 16), 16 * 8); // each node is a whole ring
}

TEST(Placement, ExchangesKeepSizesAndLoseNothing)
{
    cases::Random random(17);
    int gained = 0;
    for (int repeat = 0; repeat < cases::times(400); ++repeat) {
        const Case of = random_case(random, 100);
        const PointGraph graph(of.neighborhood, of.weights);
        std::vector<int> node_of(of.nodes.of_all().begin(), of.nodes.of_all().end());
        exchange(graph, node_of, 1'000'000);
        expect_sizes(of.nodes, node_of);
        EXPECT_LE(cut_of(graph, node_of), cut_of(graph, of.nodes.of_all()));
        gained += cut_of(graph, node_of) < cut_of(graph, of.nodes.of_all()) ? 1 : 0;
    }
    EXPECT_GT(gained, 0);
}

TEST(Placement, WalksAlongStripsVisitAll)
{
    cases::Random random(18);
    for (int repeat = 0; repeat < cases::times(300); ++repeat) {
        const Grid grid = cases::random_grid(random, 4, 200);
        Strips strips{cases::uniform(random, 0, grid.dimensions() - 1),
                      std::vector<int>(at(grid.dimensions()), 1)};
        for (int k = 0; k < grid.dimensions(); ++k)
            if (k != strips.along) strips.counts[at(k)] = cases::uniform(random, 1, grid.size(k));
        const std::vector<int> points = points_along(grid, strips);
        for (std::size_t i = 1; i < points.size(); ++i) {
            int distance = 0;
            bool same_strip = true;
            for (int k = 0; k < grid.dimensions(); ++k) {
                const int before = grid.coordinate(points[i - 1], k);
                const int here = grid.coordinate(points[i], k);
                distance += std::abs(here - before);
                same_strip = same_strip && (k == strips.along ||
                                            interval_of(grid.size(k), strips.counts[at(k)], here) ==
                                                interval_of(grid.size(k), strips.counts[at(k)], before));
            }
            if (same_strip) {
                EXPECT_EQ(distance, 1);
            }
        }
        expect_permutation(points, grid.points());
    }
}

TEST(Placement, DomainsInsideNodes)
{
    cases::Random random(19);
    int better = 0;
    for (int repeat = 0; repeat < cases::times(500); ++repeat) {
        const Case of = random_case(random, 80);
        // Domains, scattered or not.
        std::vector<int> labels;
        const int domains = cases::uniform(random, 1, 3);
        const bool scattered = cases::uniform(random, 0, 1) == 0;
        std::vector<int> seen(at(of.nodes.count()));
        for (int i = 0; i < of.points(); ++i) {
            const int node = of.nodes.of(i);
            const int of_domain = scattered ? cases::uniform(random, 0, domains - 1)
                                            : seen[at(node)] * domains / of.nodes.size(node);
            ++seen[at(node)];
            labels.push_back(node * domains + of_domain);
        }
        const Case inner{of.neighborhood, of.weights, Nodes(labels)};
        const Placement one = placed(of);
        const Placement two = place(of.neighborhood, of.weights, std::vector{of.nodes, inner.nodes});
        EXPECT_EQ(one.method, two.method);
        expect_permutation(two.process_at, of.points());
        std::vector<int> sorted = two.process_at;
        std::ranges::sort(sorted);
        for (int i = 0; i < of.points(); ++i) {
            // Each point stays with its node.
            EXPECT_EQ(of.nodes.of(one.process_at[at(i)]), of.nodes.of(two.process_at[at(i)]));
        }
        // Count edges that leave domains; those that leave nodes are the same.
        EXPECT_LE(cut_of_placement(inner, two.process_at).total,
                  cut_of_placement(inner, one.process_at).total);
        better += cut_of_placement(inner, two.process_at) < cut_of_placement(inner, one.process_at) ? 1 : 0;
        expect_order(inner.nodes, two.process_at);
    }
    EXPECT_GT(better, 0);
}

// Some cases of bench/book_bench sweep: at most Gropp's cut, at least the bound, and near it.
TEST(Placement, ASweep)
{
    double excess = 0;
    int count = 0;
    for (int d = 2; d <= 4; ++d)
        for (int p = 60; p <= 1000; p += cases::times(1000) == 1000 ? 47 : 247)
            for (const int size : {4, 6, 16, 30}) {
                const std::vector<int> dims = choose_dims(p, std::vector<int>(at(d)), nullptr);
                const Case of = of_nodes(steps(mesh(dims)), {size});
                const EdgeCut cut = cut_of_placement(of, placed(of).process_at);
                const std::int64_t bound = least_cut(of.neighborhood, {}, of.nodes.sizes());
                EXPECT_LE(cut, plain_cut(of, of.nodes.of_all()));
                EXPECT_GE(cut.total, bound);
                if (const auto his = gropp(of.neighborhood.grid, of.nodes)) {
                    EXPECT_LE(cut, plain_cut(of, *his));
                }
                excess += static_cast<double>(cut.total - bound) / static_cast<double>(bound);
                ++count;
            }
    EXPECT_LT(excess / count, 0.12);
}

TEST(Placement, OfAMillion)
{
    if (cases::times(8) < 8) GTEST_SKIP() << "too slow under sanitizers";
    for (const auto& [sizes, bound] : {std::pair(std::vector{125}, 1.001), std::pair(std::vector{128}, 1.07),
                                       std::pair(std::vector{128, 100, 64}, 1.10)}) {
        const Case of = of_nodes(steps(mesh({100, 100, 100})), sizes);
        const Placement placement = placed(of);
        std::vector<int> node_of;
        for (const int process : placement.process_at) node_of.push_back(of.nodes.of(process));
        expect_sizes(of.nodes, node_of);
        const std::int64_t least = least_cut(of.neighborhood, {}, of.nodes.sizes());
        EXPECT_LE(static_cast<double>(count_cut(of.neighborhood, {}, node_of).total),
                  bound * static_cast<double>(least));
    }
}

TEST(Placement, OfNothingMuch)
{
    const Case alone = of_nodes(steps(mesh({1})), {4});
    EXPECT_EQ(placed(alone).process_at, std::vector{0});
    const Case together = of_nodes(steps(mesh({3, 2})), {8});
    EXPECT_EQ(placed(together).method, "as numbered");
    // No offsets at all.
    const Case silent = of_nodes({mesh({4, 4}), Stencil(2)}, {3});
    EXPECT_EQ(placed(silent).method, "as numbered");
}

// --- Any graphs: never worse than as numbered, nodes keep their sizes ------------------------------------

using Links = std::vector<PointGraph::Link>;

Links random_links(cases::Random& random, int vertices)
{
    Links result;
    for (int n = cases::uniform(random, 0, 4 * vertices); n > 0 && vertices > 1; --n) {
        const int from = cases::uniform(random, 0, vertices - 1);
        const int to = (from + cases::uniform(random, 1, vertices - 1)) % vertices;
        result.push_back({from, to, cases::uniform(random, 0, 3) == 0 ? 1000 : cases::uniform(random, 1, 3)});
    }
    return result;
}

/// A mesh n x n whose vertices have random numbers.
PointGraph shuffled_mesh(cases::Random& random, int n)
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
    cases::Random random(1);
    int better = 0;
    for (int i = 0; i < 300; ++i) {
        const int processes = cases::uniform(random, 1, 60);
        const Nodes nodes = cases::random_nodes(random, processes);
        const PointGraph graph(processes, random_links(random, processes));
        const std::vector<int> placed = place_graph(graph, nodes);
        expect_sizes(nodes, placed);
        EXPECT_LE(cut_of(graph, placed), cut_of(graph, nodes.of_all()));
        if (cut_of(graph, placed) == cut_of(graph, nodes.of_all())) {
            EXPECT_TRUE(std::ranges::equal(placed, nodes.of_all())); // as numbered, then
        }
        better += cut_of(graph, placed) < cut_of(graph, nodes.of_all()) ? 1 : 0;
        EXPECT_EQ(placed, place_graph(graph, nodes));

        const std::vector<int> order = processes_on_points(nodes, placed);
        for (int v = 0; v < processes; ++v) EXPECT_EQ(nodes.of(order[at(v)]), placed[at(v)]);
        expect_permutation(order, processes);
    }
    EXPECT_GT(better, 150);
}

TEST(PlaceGraph, AMeshWithRandomNumbersIsFoundAgain)
{
    cases::Random random(2);
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
    cases::Random random(3);
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
