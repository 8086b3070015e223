// SPDX-License-Identifier: BSD-3-Clause
// The combining reductions, each on thousands of random grids and stencils, every process.

using namespace ortho;
using namespace ortho::schedule;
using algorithm::Groups;

namespace {

enum class Which { allreduce, allreduce_in_place, reduce_scatter };
constexpr Which every[] = {Which::allreduce, Which::allreduce_in_place, Which::reduce_scatter};

Schedule build(Which which, const grid::Neighborhood& n, int rank, const Groups& groups)
{
    return which == Which::reduce_scatter ? cases::build(algorithm::reduce_scatter_combining, n, rank, groups)
                                          : cases::build(algorithm::allreduce_combining, n, rank, groups,
                                                         {.in_place = which == Which::allreduce_in_place});
}

/// One value for each process: all that arrives, repeated offsets as often as they occur.
Goal goal(Which which, const grid::Neighborhood& n)
{
    const Goal delivered = cases::delivery(n, which == Which::reduce_scatter);
    Goal result;
    result.commutative = true;
    if (which == Which::allreduce_in_place) result.present = {0};
    for (const auto& slots : delivered.receive) {
        auto& value = result.receive.emplace_back(1).front();
        for (const auto& slot : slots) {
            if (!slot) continue;
            if (!value) value.emplace();
            value->insert(value->end(), slot->begin(), slot->end());
        }
    }
    return result;
}

std::string run(Which which, const grid::Neighborhood& n, const Groups& groups)
{
    std::vector<Schedule> schedules;
    const int distinct = n.grid.is_torus() ? 1 : n.grid.points();
    for (int r = 0; r < distinct; ++r) schedules.push_back(build(which, n, r, groups));
    return verify(world_of(n.grid), schedules, goal(which, n)).value_or("");
}

TEST(CombiningReduction, RandomGridsStencilsAndGroups)
{
    cases::Random random(41);
    for (int repeat = 0; repeat < cases::times(5000); ++repeat) {
        const grid::Grid grid = cases::random_grid(random, 4, 48);
        const auto n =
            grid::canonical(grid, cases::random_stencil(random, grid.dimensions(), 12, 3)).neighborhood;
        for (const Which which : every)
            ASSERT_EQ(run(which, n, cases::random_groups(random, grid.dimensions())), "");
    }
}

TEST(CombiningReduction, DenseStencils) // where partial results are shared
{
    cases::Random random(42);
    for (int repeat = 0; repeat < cases::times(2000); ++repeat) {
        const grid::Grid grid = cases::random_grid(random, 3, 60);
        grid::Stencil stencil(grid.dimensions());
        for (const auto& offset : cases::box(grid.dimensions(), -1, 1))
            if (cases::uniform(random, 0, 3) > 0) stencil.push_back(offset);
        const auto n = grid::canonical(grid, stencil).neighborhood;
        for (const Which which : every)
            ASSERT_EQ(run(which, n, cases::random_groups(random, grid.dimensions())), "");
    }
}

TEST(CombiningReduction, AllSmallStencils)
{
    const grid::Grid grids[] = {grid::Grid({2, 3, 1}, {1, 1, 1}), grid::Grid({2, 2, 3}, {1, 0, 0})};
    const std::vector<std::vector<int>> cube = cases::box(3, -1, 1);
    for (const grid::Grid& grid : grids)
        for (std::size_t code = 0; code < 27 * 27 * 27; code += at(cases::one_in())) {
            grid::Stencil stencil(3);
            for (std::size_t rest = code, i = 0; i < 3; ++i, rest /= 27) stencil.push_back(cube[rest % 27]);
            const auto n = grid::canonical(grid, stencil).neighborhood;
            for (const Which which : every) ASSERT_EQ(run(which, n, algorithm::one_by_one(3)), "") << code;
        }
}

TEST(CombiningReduction, OnATorusAllProcessesHaveOneSchedule)
{
    const grid::Grid grid({3, 4}, {1, 1});
    const auto n = grid::canonical(grid, grid::Stencil(2, {0, 1, 0, 1, 1, 0, -1, 1, 2, 2})).neighborhood;
    for (const Which which : every)
        for (int r = 1; r < grid.points(); ++r)
            EXPECT_EQ(build(which, n, r, algorithm::one_by_one(2)),
                      build(which, n, 0, algorithm::one_by_one(2)));
}

struct Column {
    int d, low, high, messages, blocks;
};
/// Boxes {low..high}^d: one shared partial result for each dimension.
constexpr Column boxes[] = {{2, -1, 1, 4, 4},   {3, -1, 1, 6, 6}, {3, -1, 3, 12, 12},
                            {5, -1, 3, 20, 20}, {2, -2, 2, 8, 8}, {1, -3, 3, 6, 6}};

TEST(CombiningReduction, BoxesNeedOneBlockAMessage)
{
    for (const Column& c : boxes) {
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

TEST(CombiningReduction, TheManhattanBall)
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

TEST(CombiningReduction, ReduceScatterIsAllgatherBackwards)
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

TEST(CombiningReduction, NoMoreWorkThanOneByOne)
{
    // A box of n^d takes n-1 reductions for each dimension, and copies only if the result is in place.
    const grid::Grid torus({9, 9, 9}, {1, 1, 1});
    grid::Stencil stencil(3);
    for (const auto& offset : cases::box(3, -1, 1)) stencil.push_back(offset);
    const auto n = grid::canonical(torus, stencil).neighborhood;
    const Cost counted = cost(
        cases::build(algorithm::allreduce_combining, n, 0, algorithm::one_by_one(3), {.in_place = false}));
    EXPECT_EQ(counted.reductions, 6);
    EXPECT_EQ(counted.copies, 0);
    EXPECT_EQ(
        cost(cases::build(algorithm::allreduce_combining, n, 0, algorithm::one_by_one(3), {.in_place = true}))
            .copies,
        1);
}

TEST(CombiningReduction, ManyOffsets)
{
    cases::Random random(44);
    grid::Stencil stencil(3);
    for (int i = 0; i < 200'000; ++i)
        stencil.push_back(std::vector<int>{cases::uniform(random, -100, 100),
                                           cases::uniform(random, -100, 100),
                                           cases::uniform(random, -100, 100)});
    const auto n = grid::canonical(grid::Grid({1000, 1000, 1000}, {1, 0, 1}), stencil).neighborhood;
    const int middle = n.grid.points() / 2 + 500'500;
    for (const Which which : every) {
        const Cost counted = cost(build(which, n, middle, algorithm::one_by_one(3)));
        EXPECT_GT(counted.messages, 3 * 190);
        EXPECT_LE(counted.messages, 3 * 200);
    }
}

} // namespace
