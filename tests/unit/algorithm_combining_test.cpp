// SPDX-License-Identifier: BSD-3-Clause
// The combining algorithms on what is special about them: all small stencils in every order, dense stencils,
// huge offsets, and their cost.  algorithm_list_test tries random grids and stencils.

using namespace ortho::schedule;
using algorithm::Groups;

namespace {

struct Which {
    const algorithm::Algorithm& algorithm;
    bool in_place = false;
};
const Which which[] = {{algorithm::alltoall_combining},
                       {algorithm::allgather_combining},
                       {algorithm::reduce_scatter_combining},
                       {algorithm::allreduce_combining},
                       {algorithm::allreduce_combining, true}};

Schedule build(const Which& w, const grid::Neighborhood& n, int rank, const Groups& groups)
{
    return cases::build(w.algorithm, n, rank, groups, {.in_place = w.in_place});
}

std::string run(const grid::Neighborhood& n, const Which& w, const Groups& groups)
{
    return cases::fault(w.algorithm, n, groups, w.in_place);
}

TEST(Combining, OnATorusAllProcessesHaveOneSchedule)
{
    cases::Random random(30);
    for (int repeat = 0; repeat < cases::times(200); ++repeat) {
        const auto n = cases::random_neighborhood(random, 3, 30, 8, 4);
        if (!n.grid.is_torus()) continue;
        const Groups groups = algorithm::one_by_one(n.grid.dimensions());
        for (const Which& w : which)
            for (int r = 1; r < n.grid.points(); ++r)
                ASSERT_EQ(build(w, n, r, groups), build(w, n, 0, groups));
    }
}

TEST(Combining, DenseStencils) // where partial results are shared
{
    cases::Random random(42);
    for (int repeat = 0; repeat < cases::times(2000); ++repeat) {
        const grid::Grid grid = cases::random_grid(random, 3, 60);
        grid::Stencil stencil(grid.dimensions());
        for (const auto& offset : cases::box(grid.dimensions(), -1, 1))
            if (cases::uniform(random, 0, 3) > 0) stencil.push_back(offset);
        const auto n = grid::canonical(grid, stencil).neighborhood;
        for (const Which& w : which)
            ASSERT_EQ(run(n, w, cases::random_groups(random, grid.dimensions())), "");
    }
}

/// The algorithms that only move blocks.
const std::span<const Which> movers = std::span(which).first(2);

/// All lists of one to three offsets in {-1,0,1}^3 on one grid: 20 439 of them.
void all_small_stencils(const grid::Grid& grid, std::span<const Which> by, const std::vector<Groups>& orders)
{
    int neighborhoods = 0, expected = 0;
    const auto offset = [](int code) {
        return std::vector<int>{code % 3 - 1, code / 3 % 3 - 1, code / 9 - 1};
    };
    for (int t = 1, last = 27; t <= 3; ++t, last *= 27) {
        expected += (last - 1) / cases::one_in() + 1;
        for (int code = 0; code < last; code += cases::one_in()) {
            grid::Stencil stencil(3);
            for (int i = 0, rest = code; i < t; ++i, rest /= 27) stencil.push_back(offset(rest % 27));
            const auto n = grid::canonical(grid, stencil).neighborhood;
            ++neighborhoods;
            for (const Groups& order : orders)
                for (const Which& w : by) ASSERT_EQ(run(n, w, order), "") << t << " " << code;
        }
    }
    EXPECT_EQ(neighborhoods, expected);
}

std::vector<Groups> all_orders()
{
    std::vector<Groups> result;
    std::vector<int> order{0, 1, 2};
    do {
        result.push_back({{order[0]}, {order[1]}, {order[2]}});
    } while (std::ranges::next_permutation(order).found);
    return result;
}

TEST(Combining, AllSmallStencils)
{
    const std::vector<Groups> in_order{algorithm::one_by_one(3)};
    // Peers' defects T4, T5: one process, on which every offset is zero, shows some of them.
    all_small_stencils(grid::Grid({1, 1, 1}, {1, 1, 1}), movers, all_orders());
    all_small_stencils(grid::Grid({2, 3, 1}, {1, 1, 1}), movers, all_orders());
    all_small_stencils(grid::Grid({2, 3, 1}, {1, 1, 1}), std::span(which).subspan(2), in_order);
    all_small_stencils(grid::Grid({3, 3, 3}, {1, 1, 1}), movers, in_order);
    all_small_stencils(grid::Grid({2, 3, 2}, {0, 0, 0}), movers, in_order);
    all_small_stencils(grid::Grid({2, 2, 3}, {1, 0, 0}), which, {{{2}, {1}, {0}}});
}

Cost cost_of(const algorithm::Algorithm& a, const grid::Neighborhood& n, const Groups& groups,
             bool in_place = false)
{
    return cost(cases::build(a, n, 0, groups, {.in_place = in_place}));
}

TEST(Combining, TableOneOfThePaper) // all of {-1, ..., n-2}^d
{
    for (int d = 2; d <= 5; ++d)
        for (int n = 3; n <= 5; ++n) {
            const auto box = grid::canonical(cases::cube(d, 7), cases::all_of(d, -1, n - 2)).neighborhood;
            const Cost alltoall = cost_of(algorithm::alltoall_combining, box, algorithm::one_by_one(d));
            const Cost allgather = cost_of(algorithm::allgather_combining, box, algorithm::one_by_one(d));
            EXPECT_EQ(alltoall.messages, d * (n - 1));
            EXPECT_EQ(alltoall.blocks, box.size() / n * d * (n - 1)); // those that move in a dimension
            EXPECT_EQ(alltoall.phases, d);
            EXPECT_EQ(allgather.messages, d * (n - 1));
            EXPECT_EQ(allgather.blocks, box.size() - 1);
        }
}

TEST(Combining, FewDistinctCoordinatesFirst) // peers' T26: the paper's Figure 2
{
    const grid::Grid torus({7, 7, 7}, {1, 1, 1});
    const auto n =
        grid::canonical(torus, grid::Stencil(3, {-2, 1, 1, -1, 1, 1, 1, 1, 1, 2, 1, 1})).neighborhood;
    const auto volume = [&](const Groups& order) {
        return cost_of(algorithm::allgather_combining, n, order).blocks;
    };
    EXPECT_EQ(volume(algorithm::one_by_one(3)), 12);
    // By hand: one edge for each of the two shared coordinates, then four.  The paper prints 7 for this tree,
    // the number of its nodes; the 12 of the other tree are its edges.
    EXPECT_EQ(volume(algorithm::by_distinct_coordinates(n.offsets)), 6);
}

TEST(Combining, VolumeOnAMeshIsTheSumOverLivingBlocks)
{
    cases::Random random(33);
    for (int repeat = 0; repeat < cases::times(1000); ++repeat) {
        const auto n = cases::random_neighborhood(random, 3, 40, 8, 3);
        const grid::Grid& grid = n.grid;
        std::int64_t expected = 0;
        for (int i = 0; i < n.size(); ++i) {
            std::int64_t alive = n.offsets.nonzeros(i);
            for (int k = 0; k < grid.dimensions(); ++k)
                alive *= grid.periodic(k) ? grid.size(k) : grid.size(k) - std::abs(n.offsets(i, k));
            expected += alive;
        }
        std::int64_t blocks = 0;
        for (int r = 0; r < grid.points(); ++r)
            blocks += cost(cases::build(algorithm::alltoall_combining, n, r,
                                        algorithm::one_by_one(grid.dimensions())))
                          .blocks;
        ASSERT_EQ(blocks, expected);
    }
}

TEST(Combining, OffsetsOfAnySize) // peers' T10
{
    const grid::Grid ring({3}, {1});
    for (const int huge : {3'000'000, -3'000'000, 1'500'000'000, INT_MAX, INT_MIN}) {
        const auto n = grid::canonical(ring, grid::Stencil(1, {huge, 1})).neighborhood;
        for (const Which& w : which) EXPECT_EQ(run(n, w, algorithm::one_by_one(1)), "");
    }
}

TEST(Combining, ManyOffsets) // peers' T11, T29: t = 200 000 on the heap, in moments
{
    cases::Random random(34);
    grid::Stencil stencil(3);
    for (int i = 0; i < 200'000; ++i)
        stencil.push_back(std::vector<int>{cases::uniform(random, -100, 100),
                                           cases::uniform(random, -100, 100),
                                           cases::uniform(random, -100, 100)});
    const grid::Grid grid({1000, 1000, 1000}, {1, 0, 1});
    const auto n = grid::canonical(grid, stencil).neighborhood;
    const int middle = grid.points() / 2 + 500'500;
    for (const Which& w : which) {
        const Cost c = cost(build(w, n, middle, algorithm::one_by_one(3)));
        EXPECT_GT(c.messages, 3 * 190);
        EXPECT_LE(c.messages, 3 * 200);
    }
}

/// Boxes {low..high}^d: one shared partial result for each dimension.
TEST(Combining, BoxesNeedOneBlockAMessage)
{
    const struct {
        int d, low, high;
    } boxes[] = {{2, -1, 1}, {3, -1, 1}, {3, -1, 3}, {5, -1, 3}, {2, -2, 2}, {1, -3, 3}};
    for (const auto& [d, low, high] : boxes)
        for (const bool center : {true, false}) {
            grid::Stencil stencil(d);
            for (const auto& offset : cases::box(d, low, high))
                if (center || offset != std::vector<int>(at(d), 0)) stencil.push_back(offset);
            const auto n = grid::canonical(cases::cube(d, 9), stencil).neighborhood;
            const Groups order = algorithm::one_by_one(d);
            const Cost counted = cost_of(algorithm::allreduce_combining, n, order);
            EXPECT_LE(counted.messages, d * (high - low)) << d << ' ' << center;
            EXPECT_LE(counted.blocks, d * (high - low)) << d << ' ' << center;
            EXPECT_EQ(counted.phases, d);
            if (!center) continue;
            // No more work than one by one; copies only if the result is in place.
            EXPECT_EQ(counted.reductions, d * (high - low));
            EXPECT_EQ(counted.copies, 0);
            EXPECT_EQ(cost_of(algorithm::allreduce_combining, n, order, true).copies, 1);
        }
}

TEST(Combining, TheManhattanBall)
{
    grid::Stencil ball(3);
    for (const auto& offset : cases::box(3, -2, 2))
        if (std::abs(offset[0]) + std::abs(offset[1]) + std::abs(offset[2]) <= 2) ball.push_back(offset);
    const auto n = grid::canonical(cases::cube(3, 9), ball).neighborhood;
    const Cost counted = cost_of(algorithm::allreduce_combining, n, algorithm::one_by_one(3));
    EXPECT_EQ(counted.messages, 12);
    EXPECT_EQ(counted.blocks, 14);
}

TEST(Combining, ReduceScatterIsAllgatherBackwards)
{
    cases::Random random(43);
    for (int repeat = 0; repeat < cases::times(500); ++repeat) {
        const grid::Grid torus({5, 3, 4}, {1, 1, 1});
        const auto n = grid::canonical(torus, cases::random_stencil(random, 3, 12, 2)).neighborhood;
        const Groups groups = cases::random_groups(random, 3);
        const Groups backwards(groups.rbegin(), groups.rend());
        const Cost gathered = cost_of(algorithm::allgather_combining, n, backwards);
        const Cost reduced = cost_of(algorithm::reduce_scatter_combining, n, groups);
        ASSERT_EQ(reduced.messages, gathered.messages);
        ASSERT_EQ(reduced.blocks, gathered.blocks);
    }
}

} // namespace
