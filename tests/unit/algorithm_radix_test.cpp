// SPDX-License-Identifier: BSD-3-Clause
// Dimensions that are crossed in several steps: on long grids with wide stencils, every process, and their cost.
// algorithm_list_test tries small grids.

#include <bit>

#include "algorithm/offset_steps.hpp"
#include "planner_cases.hpp"

using algorithm::Groups;
using planner::Collective;

namespace {

const algorithm::Algorithm* const every[] = {&algorithm::alltoall_radix, &algorithm::allgather_radix,
                                             &algorithm::reduce_scatter_radix, &algorithm::allreduce_radix};

/// One long dimension, and short ones.
grid::Grid long_grid(cases::Random& random)
{
    std::vector<int> sizes(at(cases::uniform(random, 1, 3)), 0);
    for (int& size : sizes) size = cases::uniform(random, 1, 3);
    sizes[at(cases::uniform(random, 0, static_cast<int>(sizes.size()) - 1))] = cases::uniform(random, 1, 33);
    std::vector<char> periodic;
    for (std::size_t k = 0; k < sizes.size(); ++k)
        periodic.push_back(static_cast<char>(cases::uniform(random, 0, 1)));
    return {sizes, periodic};
}

/// A box around 0 or beside it, or part of it, some offsets twice; farther than the grid now and then.
grid::Stencil wide_stencil(cases::Random& random, const grid::Grid& grid)
{
    grid::Stencil result(grid.dimensions());
    const int share = cases::uniform(random, 1, 4);
    std::vector<int> low, high;
    for (int k = 0; k < grid.dimensions(); ++k) {
        const int reach = grid.size(k) + 2;
        low.push_back(cases::uniform(random, -reach, reach));
        high.push_back(std::min(low.back() + cases::uniform(random, 0, 12), reach));
    }
    for (const auto& steps : cases::box(grid.dimensions(), 0, 12)) {
        std::vector<int> offset = low;
        bool inside = true;
        for (std::size_t k = 0; k < offset.size(); ++k) inside = inside && (offset[k] += steps[k]) <= high[k];
        if (!inside) continue;
        if (cases::uniform(random, 1, 4) <= share) result.push_back(offset);
        if (cases::uniform(random, 1, 40) == 1) result.push_back(offset);
    }
    return result;
}

TEST(Radix, RandomGridsStencilsAndSteps)
{
    cases::Random random(90);
    for (int repeat = 0; repeat < cases::times(1500); ++repeat) {
        const grid::Grid grid = long_grid(random);
        const auto n = grid::canonical(grid, wide_stencil(random, grid)).neighborhood;
        for (const algorithm::Algorithm* const a : every) {
            const Groups groups = cases::random_steps(random, grid.dimensions(), 5);
            ASSERT_EQ(cases::fault(*a, n, groups), "") << a->name << ", case " << repeat;
        }
    }
}

grid::Neighborhood on_torus(int d, int size, const grid::Stencil& stencil)
{
    return grid::canonical(cases::cube(d, size), stencil).neighborhood;
}

/// d ceil(log2 n) messages at radix 2, for n offsets in a row in each dimension.
TEST(Radix, TwoMessagesForFourOffsets)
{
    struct Case {
        int d, low, high, messages;
    };
    constexpr Case boxes[] = {{1, 0, 3, 2},   {1, -1, 2, 2}, {1, -4, 4, 4}, {1, 0, 15, 4}, {1, -7, 8, 4},
                              {1, -5, 26, 5}, {3, -1, 3, 9}, {3, -2, 2, 9}, {5, -1, 3, 15}};
    for (const Case& c : boxes) {
        const auto n = on_torus(c.d, 67, cases::all_of(c.d, c.low, c.high));
        const Groups binary = algorithm::splits(n).front();
        for (const algorithm::Algorithm* const a : every) {
            const Cost counted = cost(cases::build(*a, n, 0, binary));
            EXPECT_EQ(counted.messages, c.messages) << a->name;
            EXPECT_EQ(counted.phases, static_cast<int>(binary.size())) << a->name;
            // Nobody receives a block twice.
            if (a->collective == Collective::allgather) {
                EXPECT_EQ(counted.blocks, n.size() - 1);
            }
        }
    }
}

/// Any number of values with any number of digits, on a ring that has no others, too.
TEST(Radix, RowsOfAnyLength)
{
    for (int size = 4; size <= 40; ++size)
        for (const int high : {size - 1, 7, 2}) {
            if (high >= size) continue;
            const auto n = on_torus(1, size, cases::all_of(1, high + 1 - size, high));
            const Groups binary = algorithm::splits(n).front();
            EXPECT_EQ(cost(cases::build(algorithm::alltoall_radix, n, 0, binary)).messages,
                      std::bit_width(static_cast<unsigned>(size - 1)));
        }
}

TEST(Radix, WithBordersStepsHaveTheSignOfTheirOffset)
{
    const grid::Grid mesh({30}, {0});
    const auto n = grid::canonical(mesh, cases::all_of(1, -7, 7)).neighborhood;
    const algorithm::OffsetSteps along(n, {{0}, {0}, {0}});
    for (int i = 0; i < n.size(); ++i) {
        int sum = 0;
        for (int l = 0; l < 3; ++l) {
            EXPECT_GE(along.steps(i, l) * n.offsets(i, 0), 0);
            sum += along.steps(i, l);
        }
        EXPECT_EQ(sum, n.offsets(i, 0));
    }
    EXPECT_EQ(cost(cases::build(algorithm::alltoall_radix, n, 15, {{0}, {0}, {0}})).messages, 6);
}

/// A row of a power of two is a sum in as many messages, blocks and reductions as it has digits.
TEST(Radix, RowsAreSummedInALogarithmOfSteps)
{
    const auto n = on_torus(1, 40, cases::all_of(1, 0, 15));
    const Cost counted = cost(cases::build(algorithm::allreduce_radix, n, 0, {{0}, {0}, {0}, {0}}));
    EXPECT_EQ(counted.messages, 4);
    EXPECT_EQ(counted.blocks, 4);
    EXPECT_EQ(counted.reductions, 4);
}

/// Among plans with as many steps in all, the one with the same number in each phase is taken.
TEST(Radix, DigitsAreEven)
{
    const auto n = on_torus(1, 40, cases::all_of(1, -3, 3));
    const algorithm::OffsetSteps along(n, {{0}, {0}});
    for (int l = 0; l < 2; ++l) EXPECT_EQ(algorithm::number_tuples(along.steps, std::vector{l}).distinct, 3);
}

TEST(Radix, ThousandsOfOffsetsAreSplitInMoments)
{
    const auto n = on_torus(1, 9999, cases::all_of(1, -2000, 2100));
    EXPECT_EQ(algorithm::splits(n).size(), 4U);
    cases::Random random(93);
    grid::Stencil sparse(1);
    for (int i = 0; i < 2000; ++i)
        sparse.push_back(std::vector<int>{cases::uniform(random, -1'000'000'000, 1'000'000'000)});
    algorithm::splits(on_torus(1, 2'000'000'011, sparse));
}

TEST(Radix, NothingToSplit)
{
    EXPECT_TRUE(algorithm::splits(on_torus(3, 9, cases::all_of(3, -1, 1))).empty());
    EXPECT_TRUE(algorithm::splits(on_torus(1, 99, grid::Stencil(1, {-20, -3, 0, 7}))).empty());
    EXPECT_TRUE(algorithm::splits(on_torus(2, 9, grid::Stencil(2))).empty());
    const grid::Grid mesh({9}, {0});
    EXPECT_TRUE(algorithm::splits(grid::canonical(mesh, cases::all_of(1, -2, 2)).neighborhood).empty());
    EXPECT_FALSE(algorithm::splits(grid::canonical(mesh, cases::all_of(1, -1, 3)).neighborhood).empty());
}

/// The dynamic program counts the messages and blocks of the schedules.
TEST(Radix, CountsAreThoseOfTheSchedules)
{
    cases::Random random(92);
    for (int repeat = 0; repeat < cases::times(200); ++repeat) {
        const grid::Grid grid({11, 5, 3}, {1, 1, 1});
        grid::Stencil stencil = cases::random_stencil(random, 3, 40, 3);
        const auto n = grid::canonical(grid, stencil).neighborhood;
        for (const algorithm::Algorithm* const a : every)
            for (const Groups& crossed : algorithm::splits(n)) {
                const algorithm::DimensionGroups groups(n, a->collective, nullptr, crossed);
                const int phase = cases::uniform(random, 0, 9);
                const auto price = [&](const PhaseCounts& x) {
                    return (x.messages > 0 ? phase : 0) + 2 * x.messages + x.blocks;
                };
                for (const bool one_by_one : {false, true}) {
                    const Groups steps = groups.cheapest(price, one_by_one);
                    const PhaseCounts sum = cases::sum_of(groups.along(steps));
                    const Cost counted = cost(cases::build(*a, n, 0, groups.dimensions_of(steps)));
                    ASSERT_EQ(sum.messages, counted.messages) << a->name;
                    ASSERT_EQ(sum.blocks, counted.blocks) << a->name;
                }
            }
    }
}

/// The planner takes an algorithm with steps where it is cheaper than all others, and only there.
TEST(Radix, ThePlannerTakesItWhereItIsCheaper)
{
    const auto nodes = cases::consecutive(32 * 32, std::vector<int>(32, 32));
    int taken = 0;
    for (const Collective collective :
         {Collective::alltoall, Collective::allgather, Collective::allreduce, Collective::reduce_scatter}) {
        for (const int high : {1, 2, 4})
            for (const char periodic : {char{0}, char{1}})
                for (const bool on_nodes : {false, true}) {
                    const grid::Grid grid({32, 32}, {periodic, 1});
                    planner::PlannerContext context = cases::with_offsets(grid,
                                                                          cases::all_of(2, -high, high));
                    context.layout.one_node = !on_nodes;
                    if (on_nodes) context.layout.nodes = nodes;
                    planner::Planner planner(context, {});
                    for (const std::int64_t bytes : {1, 100, 10'000, 1'000'000}) {
                        const auto candidates = planner.candidates(cases::a_call(collective, bytes));
                        const planner::Candidate* const best = planner::cheapest(candidates);
                        ASSERT_NE(best, nullptr);
                        const bool is_radix = best->algorithm->splits;
                        for (const planner::Candidate& other : candidates) {
                            if (!other.applies() || other.algorithm->splits) continue;
                            EXPECT_GE(other.choice.cost_ps, best->choice.cost_ps);
                            if (is_radix) {
                                EXPECT_GT(other.choice.cost_ps, best->choice.cost_ps);
                            }
                        }
                        taken += is_radix ? 1 : 0;
                        if (high == 1) {
                            EXPECT_FALSE(is_radix);
                        }
                    }
                }
    }
    EXPECT_GT(taken, 20);
}

/// Each neighbor is one dimension away: nothing to combine but by steps.
TEST(Radix, StarsAreCrossedInSteps)
{
    grid::Stencil star(2);
    for (int n = -7; n <= 7; ++n) {
        if (n == 0) continue;
        star.push_back(std::vector<int>{n, 0});
        star.push_back(std::vector<int>{0, n});
    }
    planner::Planner planner(cases::with_offsets(grid::Grid({40, 40}, {1, 1}), star), {});
    EXPECT_EQ(cases::chosen(planner, cases::a_call(Collective::allgather, 8)), "allgather_radix");
    EXPECT_EQ(cases::chosen(planner, cases::a_call(Collective::alltoall, 1'000'000)), "alltoall_direct");
    // A call that names it gets it, also where there is nothing to split.
    planner::Planner moore(cases::moore(cases::torus), {planner::parse_algorithms("alltoall_radix", "list")});
    EXPECT_EQ(cases::chosen(moore, cases::a_call(Collective::alltoall, 8)), "alltoall_radix");
}

} // namespace
