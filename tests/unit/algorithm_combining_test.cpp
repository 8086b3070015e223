// SPDX-License-Identifier: BSD-3-Clause
// The combining algorithms on what is special about them: all small stencils in every order, dense stencils,
// huge offsets, and their cost.  algorithm_list_test tries random grids and stencils.

using namespace ortho;
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

// Peers' defects T4, T5: one process, on which every offset is zero, shows some of them.
TEST(Combining, AllSmallStencilsOnOneProcess)
{
    all_small_stencils(grid::Grid({1, 1, 1}, {1, 1, 1}), movers, all_orders());
}
TEST(Combining, AllSmallStencilsOnATorusInEveryOrder)
{
    all_small_stencils(grid::Grid({2, 3, 1}, {1, 1, 1}), movers, all_orders());
}
TEST(Combining, AllSmallReductionsOnATorus)
{
    all_small_stencils(grid::Grid({2, 3, 1}, {1, 1, 1}), std::span(which).subspan(2),
                       {algorithm::one_by_one(3)});
}
TEST(Combining, AllSmallStencilsOnATorusOfThree)
{
    all_small_stencils(grid::Grid({3, 3, 3}, {1, 1, 1}), movers, {algorithm::one_by_one(3)});
}
TEST(Combining, AllSmallStencilsOnAMesh)
{
    all_small_stencils(grid::Grid({2, 3, 2}, {0, 0, 0}), movers, {algorithm::one_by_one(3)});
}
TEST(Combining, AllSmallStencilsOnAMixedGrid)
{
    all_small_stencils(grid::Grid({2, 2, 3}, {1, 0, 0}), which, {{{2}, {1}, {0}}});
}

TEST(Combining, TableOneOfThePaper) // all of {-1, ..., n-2}^d
{
    struct Column {
        int d, n, t, c, v_allgather, v_alltoall;
    };
    constexpr Column table[] = {
        {2, 3, 8, 4, 8, 12},       {2, 4, 15, 6, 15, 24},        {2, 5, 24, 8, 24, 40},
        {3, 3, 26, 6, 26, 54},     {3, 4, 63, 9, 63, 144},       {3, 5, 124, 12, 124, 300},
        {4, 3, 80, 8, 80, 216},    {4, 4, 255, 12, 255, 768},    {4, 5, 624, 16, 624, 2000},
        {5, 3, 242, 10, 242, 810}, {5, 4, 1023, 15, 1023, 3840}, {5, 5, 3124, 20, 3124, 12500},
    };
    for (const Column& column : table) {
        const grid::Grid torus(std::vector<int>(at(column.d), 7), std::vector<char>(at(column.d), 1));
        const auto n = grid::canonical(torus, cases::all_of(column.d, -1, column.n - 2)).neighborhood;
        const Groups order = algorithm::one_by_one(column.d);
        const Cost alltoall = cost(cases::build(algorithm::alltoall_combining, n, 0, order));
        const Cost allgather = cost(cases::build(algorithm::allgather_combining, n, 0, order));
        EXPECT_EQ(alltoall.messages, column.c);
        EXPECT_EQ(alltoall.blocks, column.v_alltoall);
        EXPECT_EQ(alltoall.phases, column.d);
        EXPECT_EQ(allgather.messages, column.c);
        EXPECT_EQ(allgather.blocks, column.v_allgather);
    }
}

TEST(Combining, FewDistinctCoordinatesFirst) // peers' T26: the paper's Figure 2
{
    const grid::Grid torus({7, 7, 7}, {1, 1, 1});
    const auto n =
        grid::canonical(torus, grid::Stencil(3, {-2, 1, 1, -1, 1, 1, 1, 1, 1, 2, 1, 1})).neighborhood;
    const auto volume = [&](const Groups& order) {
        return cost(cases::build(algorithm::allgather_combining, n, 0, order)).blocks;
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

TEST(Combining, NoNeighbors) // peers' T9
{
    const auto n = grid::canonical(grid::Grid({2, 2}, {1, 0}), grid::Stencil(2)).neighborhood;
    for (const Which& w : which) EXPECT_EQ(run(n, w, algorithm::one_by_one(2)), "");
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

struct Box {
    int d, low, high, messages, blocks;
};
/// Boxes {low..high}^d: one shared partial result for each dimension.
constexpr Box boxes[] = {{2, -1, 1, 4, 4},   {3, -1, 1, 6, 6}, {3, -1, 3, 12, 12},
                         {5, -1, 3, 20, 20}, {2, -2, 2, 8, 8}, {1, -3, 3, 6, 6}};

TEST(Combining, BoxesNeedOneBlockAMessage)
{
    for (const Box& c : boxes) {
        const grid::Grid torus(std::vector<int>(at(c.d), 9), std::vector<char>(at(c.d), 1));
        for (const bool center : {true, false}) {
            grid::Stencil stencil(c.d);
            for (const auto& offset : cases::box(c.d, c.low, c.high))
                if (center || std::ranges::any_of(offset, [](int n) { return n != 0; }))
                    stencil.push_back(offset);
            const auto n = grid::canonical(torus, stencil).neighborhood;
            const Cost counted = cost(cases::build(algorithm::allreduce_combining, n, 0,
                                                   algorithm::one_by_one(c.d), {.in_place = false}));
            EXPECT_LE(counted.messages, c.messages) << c.d << ' ' << center;
            EXPECT_LE(counted.blocks, c.blocks) << c.d << ' ' << center;
            EXPECT_EQ(counted.phases, c.d);
        }
    }
}

TEST(Combining, TheManhattanBall)
{
    const grid::Grid torus({9, 9, 9}, {1, 1, 1});
    grid::Stencil ball(3);
    for (const auto& offset : cases::box(3, -2, 2))
        if (std::abs(offset[0]) + std::abs(offset[1]) + std::abs(offset[2]) <= 2) ball.push_back(offset);
    const auto n = grid::canonical(torus, ball).neighborhood;
    const Cost counted = cost(
        cases::build(algorithm::allreduce_combining, n, 0, algorithm::one_by_one(3), {.in_place = false}));
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
        const Cost gathered = cost(cases::build(algorithm::allgather_combining, n, 0, backwards));
        const Cost reduced = cost(cases::build(algorithm::reduce_scatter_combining, n, 0, groups));
        ASSERT_EQ(reduced.messages, gathered.messages);
        ASSERT_EQ(reduced.blocks, gathered.blocks);
    }
}

TEST(Combining, NoMoreWorkThanOneByOne)
{
    // A box of n^d takes n-1 reductions for each dimension, and copies only if the result is in place.
    const grid::Grid torus({9, 9, 9}, {1, 1, 1});
    const auto n = grid::canonical(torus, cases::all_of(3, -1, 1)).neighborhood;
    const Cost counted = cost(
        cases::build(algorithm::allreduce_combining, n, 0, algorithm::one_by_one(3), {.in_place = false}));
    EXPECT_EQ(counted.reductions, 6);
    EXPECT_EQ(counted.copies, 0);
    EXPECT_EQ(
        cost(cases::build(algorithm::allreduce_combining, n, 0, algorithm::one_by_one(3), {.in_place = true}))
            .copies,
        1);
}

} // namespace
