// SPDX-License-Identifier: BSD-3-Clause
// The combining algorithms, each on thousands of random grids and stencils, every process.

using namespace ortho;
using namespace ortho::schedule;
using algorithm::Groups;

namespace {

struct Which {
    const algorithm::Algorithm& algorithm;
    bool personal;
};
const Which which[] = {{algorithm::alltoall_combining, true}, {algorithm::allgather_combining, false}};

std::vector<Schedule> all(const grid::Neighborhood& neighborhood, const algorithm::Algorithm& algorithm,
                          const Groups& groups)
{
    // On a torus all processes have one schedule.
    const int distinct = neighborhood.grid.is_torus() ? 1 : neighborhood.grid.points();
    std::vector<Schedule> result;
    for (int r = 0; r < distinct; ++r) result.push_back(cases::build(algorithm, neighborhood, r, groups));
    return result;
}

std::string run(const grid::Neighborhood& neighborhood, const Which& w, const Groups& groups)
{
    return verify(world_of(neighborhood.grid), all(neighborhood, w.algorithm, groups),
                  cases::delivery(neighborhood, w.personal))
        .value_or("");
}

TEST(Combining, OnATorusAllProcessesHaveOneSchedule)
{
    cases::Random random(30);
    for (int repeat = 0; repeat < cases::times(200); ++repeat) {
        grid::Grid grid = cases::random_grid(random, 3, 30);
        if (!grid.is_torus()) continue;
        const auto n =
            grid::canonical(grid, cases::random_stencil(random, grid.dimensions(), 8, 4)).neighborhood;
        const Groups groups = algorithm::one_by_one(grid.dimensions());
        for (const Which& w : which)
            for (int r = 1; r < grid.points(); ++r)
                ASSERT_EQ(cases::build(w.algorithm, n, r, groups), cases::build(w.algorithm, n, 0, groups));
    }
}

TEST(Combining, RandomGridsStencilsAndOrders)
{
    cases::Random random(31);
    for (int repeat = 0; repeat < cases::times(5000); ++repeat) {
        const grid::Grid grid = cases::random_grid(random, 4, 48);
        const auto n =
            grid::canonical(grid, cases::random_stencil(random, grid.dimensions(), 10, 3)).neighborhood;
        for (const Which& w : which) {
            Groups order = algorithm::one_by_one(grid.dimensions());
            std::ranges::shuffle(order, random);
            ASSERT_EQ(run(n, w, order), "");
        }
    }
}

TEST(Combining, RandomGroupsOfDimensions)
{
    cases::Random random(32);
    for (int repeat = 0; repeat < cases::times(3000); ++repeat) {
        const grid::Grid grid = cases::random_grid(random, 4, 48);
        const auto n =
            grid::canonical(grid, cases::random_stencil(random, grid.dimensions(), 10, 3)).neighborhood;
        for (const Which& w : which)
            ASSERT_EQ(run(n, w, cases::random_groups(random, grid.dimensions())), "");
    }
}

/// All lists of one to three offsets in {-1,0,1}^3 on one grid: 20 439 of them.
void all_small_stencils(const grid::Grid& grid, const std::vector<Groups>& orders)
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
                for (const Which& w : which) ASSERT_EQ(run(n, w, order), "") << t << " " << code;
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
    all_small_stencils(grid::Grid({1, 1, 1}, {1, 1, 1}), all_orders());
}
TEST(Combining, AllSmallStencilsOnATorusInEveryOrder)
{
    all_small_stencils(grid::Grid({2, 3, 1}, {1, 1, 1}), all_orders());
}
TEST(Combining, AllSmallStencilsOnATorusOfThree)
{
    all_small_stencils(grid::Grid({3, 3, 3}, {1, 1, 1}), {algorithm::one_by_one(3)});
}
TEST(Combining, AllSmallStencilsOnAMesh)
{
    all_small_stencils(grid::Grid({2, 3, 2}, {0, 0, 0}), {algorithm::one_by_one(3)});
}
TEST(Combining, AllSmallStencilsOnAMixedGrid)
{
    all_small_stencils(grid::Grid({2, 2, 3}, {1, 0, 0}), {{{2}, {1}, {0}}});
}

/// The offsets of A's evaluation: all of {f, ..., f+n-1}^d, f = -1; with or without zero.
grid::Stencil box(int d, int n)
{
    grid::Stencil result(d);
    for (const auto& offset : cases::box(d, -1, n - 2)) result.push_back(offset);
    return result;
}

TEST(Combining, TableOneOfThePaper)
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
        const auto n = grid::canonical(torus, box(column.d, column.n)).neighborhood;
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
        const grid::Grid grid = cases::random_grid(random, 3, 40);
        const auto n =
            grid::canonical(grid, cases::random_stencil(random, grid.dimensions(), 8, 3)).neighborhood;
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
        const Cost c = cost(cases::build(w.algorithm, n, middle, algorithm::one_by_one(3)));
        EXPECT_GT(c.messages, 3 * 190);
        EXPECT_LE(c.messages, 3 * 200);
    }
}

} // namespace
