// SPDX-License-Identifier: BSD-3-Clause
#include "placement/dims.hpp"

#include "placement/placement.hpp"

using base::Error;
using namespace ortho::grid;
using namespace ortho::placement;

namespace {

std::vector<int> v(std::initializer_list<int> list) { return list; }

std::vector<int> choose(int processes, std::vector<int> given, int node_size = 0)
{
    if (node_size == 0) return choose_dims(processes, given, nullptr);
    const Nodes nodes = Nodes::consecutive(processes, std::vector{node_size});
    return choose_dims(processes, given, &nodes);
}

/// The amount that is exchanged, by definition.
std::int64_t exchanged(const std::vector<int>& dims, const Nodes& nodes)
{
    const Grid grid(dims, std::vector<char>(dims.size()));
    Stencil steps(grid.dimensions());
    std::vector<std::int64_t> weights;
    std::vector<int> step(dims.size());
    std::int64_t all = 0;
    for (std::size_t k = 0; k < dims.size(); ++k) {
        step[k] = 1;
        steps.push_back(step);
        step[k] = 0;
        weights.push_back(dims[k]);
        all += std::int64_t{grid.points()} / dims[k] * (dims[k] - 1) * dims[k];
    }
    const Placement placement = place({grid, steps}, weights, std::vector{nodes});
    std::vector<int> node_of;
    for (const int process : placement.process_at) node_of.push_back(nodes.of(process));
    return all + (on_node_share - 1) * count_cut({grid, steps}, weights, node_of).total;
}

TEST(Dims, AreBalanced)
{
    EXPECT_EQ(choose(576, {0, 0, 0}), v({9, 8, 8}));
    EXPECT_EQ(choose(720, {0, 0, 0}), v({10, 9, 8}));
    EXPECT_EQ(choose(48, {0, 0}), v({8, 6}));
    EXPECT_EQ(choose(7, {0, 0, 0}), v({7, 1, 1}));
    EXPECT_EQ(choose(1, {0, 0}), v({1, 1}));
    EXPECT_EQ(choose(1 << 20, std::vector<int>(20, 0)), std::vector<int>(20, 2));
}

TEST(Dims, GivenOnesStay)
{
    EXPECT_EQ(choose(24, {0, 2, 0}), v({4, 2, 3}));
    EXPECT_EQ(choose(24, {0, 4, 6}), v({1, 4, 6}));
    EXPECT_EQ(choose(24, {4, 6}), v({4, 6}));
    EXPECT_EQ(choose(24, {0, 2, 0}, 6)[1], 2);
}

TEST(Dims, WhatIsNoGrid)
{
    EXPECT_THROW(choose(6, {4, 0}), Error);
    EXPECT_THROW(choose(6, {2, 2}), Error);
    EXPECT_THROW(choose(6, {-2, -3}), Error);
    EXPECT_THROW(choose(6, {12, 0}), Error);
    EXPECT_THROW(choose(6, {}), Error);
    const std::string mistake = cases::mistake_in(
        [] {
            choose(6, {0, 4});
        },
        ortho::base::ErrorKind::dims, "dims");
    EXPECT_EQ(mistake, "6 processes make no grid of 0 x 4, where 0 is any size: 4 does not divide 6");
}

/// All lists of `count` divisors with this product.
void for_each_way(int product, int count, std::vector<int>& list, const std::function<void()>& call)
{
    if (count == 0) {
        if (product == 1) call();
        return;
    }
    for (int n = 1; n <= product; ++n) {
        if (product % n != 0) continue;
        list.push_back(n);
        for_each_way(product / n, count - 1, list, call);
        list.pop_back();
    }
}

TEST(Dims, NoWayHasALessSum)
{
    for (int d = 1; d <= 4; ++d)
        for (int p = 1; p <= cases::times(200); ++p) {
            const std::vector<int> dims = choose(p, std::vector<int>(static_cast<std::size_t>(d)));
            EXPECT_TRUE(std::ranges::is_sorted(dims, std::greater()));
            EXPECT_EQ(std::accumulate(dims.begin(), dims.end(), 1, std::multiplies<>()), p);
            const int sum = std::accumulate(dims.begin(), dims.end(), 0);
            std::vector<int> list;
            for_each_way(p, d, list, [&] {
                const int other = std::accumulate(list.begin(), list.end(), 0);
                EXPECT_LE(sum, other) << p;
                if (other == sum) {
                    EXPECT_LE(dims[0], *std::ranges::max_element(list)) << p;
                }
            });
        }
}

TEST(Dims, WithNodesNoWayExchangesLess)
{
    for (const int p : {12, 16, 36, 60, 96})
        for (const int node_size : {3, 4, 6, 9, 10}) {
            const Nodes nodes = Nodes::consecutive(p, std::vector{node_size});
            const std::vector<int> dims = choose_dims(p, std::vector<int>(3), &nodes);
            std::vector<int> list;
            for_each_way(p, 3, list, [&] {
                if (std::ranges::is_sorted(list, std::greater())) {
                    EXPECT_LE(exchanged(dims, nodes), exchanged(list, nodes));
                }
            });
        }
}

// Gropp, section 2.1, prefers 12 x 8 x 6 with boxes of 6 x 2 x 3 to 9 x 8 x 8 with boxes of 9 x 2 x 2.  But 9
// x 8 x 8 has better boxes.
TEST(Dims, GroppsExample)
{
    const Nodes nodes = Nodes::consecutive(576, std::vector{36});
    EXPECT_EQ(choose(576, {0, 0, 0}, 36), v({9, 8, 8}));
    EXPECT_LT(exchanged({9, 8, 8}, nodes), exchanged({12, 8, 6}, nodes));
    // Boxes of 9 x 2 x 2: 3 planes of 72 in each of two dimensions, faces of size 8.
    const std::int64_t on_boxes = 576 * (8 + 7 + 7) + (on_node_share - 1) * 2 * 3 * 72 * 8;
    EXPECT_GT(on_boxes, exchanged({12, 8, 6}, nodes));
}

TEST(Dims, OneNodeIsNone) { EXPECT_EQ(choose(36, {0, 0}, 36), choose(36, {0, 0})); }

TEST(Dims, OfAMillion)
{
    EXPECT_EQ(choose(1'000'000, {0, 0, 0}, 125), v({100, 100, 100}));
    const std::vector<int> dims = choose(720'720, std::vector<int>(4), 128);
    EXPECT_EQ(std::accumulate(dims.begin(), dims.end(), 1, std::multiplies<>()), 720'720);
}

} // namespace
