// SPDX-License-Identifier: BSD-3-Clause
// The dimensions that blocks cross together.

#include "planner_cases.hpp"

namespace {

/// All ordered partitions of the dimensions that are not in `before`.
void all_groups(int d, algorithm::Groups& before, std::vector<algorithm::Groups>& result)
{
    unsigned used = 0;
    for (const auto& group : before)
        for (const int k : group) used |= 1U << k;
    const unsigned rest = ((1U << d) - 1) & ~used;
    if (rest == 0) result.push_back(before);
    for (unsigned set = rest; set != 0; set = (set - 1) & rest) {
        std::vector<int> group;
        for (int k = 0; k < d; ++k)
            if ((set >> k & 1U) != 0) group.push_back(k);
        before.push_back(group);
        all_groups(d, before, result);
        before.pop_back();
    }
}

struct Counted {
    Collective collective;
    const Algorithm& algorithm;
};
const Counted counted[] = {
    {Collective::alltoall, algorithm::alltoall_combining},
    {Collective::allgather, algorithm::allgather_combining},
    {Collective::allreduce, algorithm::allreduce_combining},
    {Collective::reduce_scatter, algorithm::reduce_scatter_combining},
};

TEST(DimensionGroups, CountWhatTheSchedulesDoAndFindTheCheapest)
{
    cases::Random random(51);
    for (int repeat = 0; repeat < 60; ++repeat) {
        const grid::Grid grid({5, 3, 4, 2}, {1, 1, 1, 1});
        const auto n = grid::canonical(grid, cases::random_stencil(random, 4, 25, 2)).neighborhood;
        std::vector<algorithm::Groups> all;
        algorithm::Groups none;
        all_groups(4, none, all);
        ASSERT_EQ(all.size(), 75U);
        for (const Counted& c : counted) {
            const algorithm::DimensionGroups dimension_groups(n, c.collective);
            const std::int64_t message = cases::uniform(random, 1, 20);
            const auto price = [&](const schedule::PhaseCounts& x) {
                return (x.messages > 0 ? 7 : 0) + message * x.messages + 3 * x.blocks;
            };
            const auto price_of = [&](const algorithm::Groups& groups) {
                std::int64_t sum = 0;
                for (const schedule::PhaseCounts& x : dimension_groups.along(groups)) sum += price(x);
                return sum;
            };
            std::int64_t least = INT64_MAX, least_singly = INT64_MAX;
            for (const algorithm::Groups& groups : all) {
                const schedule::PhaseCounts sum = sum_of(dimension_groups.along(groups));
                const schedule::Cost cost = schedule::cost(cases::build(c.algorithm, n, 0, groups));
                ASSERT_EQ(sum.messages, cost.messages);
                ASSERT_EQ(sum.blocks, cost.blocks);
                least = std::min(least, price_of(groups));
                if (groups.size() == 4) least_singly = std::min(least_singly, price_of(groups));
            }
            ASSERT_EQ(price_of(dimension_groups.cheapest(price, false)), least);
            ASSERT_EQ(price_of(dimension_groups.cheapest(price, true)), least_singly);
        }
    }
}

TEST(DimensionGroups, TooManyForAllGroups)
{
    // 400 000 offsets, and 40 dimensions: the usual order, one by one.
    cases::Random random(52);
    grid::Stencil many(3);
    for (int i = 0; i < 400'000; ++i)
        many.push_back(std::vector<int>{cases::uniform(random, -99, 99), cases::uniform(random, -99, 99),
                                        cases::uniform(random, -9, 9)});
    const auto n = grid::canonical(grid::Grid({1000, 1000, 1000}, {1, 1, 1}), many).neighborhood;
    const grid::Grid deep(std::vector<int>(40, 1), std::vector<char>(40, 1));
    const auto wide = grid::canonical(deep, grid::Stencil(40, std::vector<int>(80, 1))).neighborhood;
    for (const Counted& c : counted) {
        const algorithm::DimensionGroups dimension_groups(n, c.collective);
        const auto groups = dimension_groups.cheapest([](const schedule::PhaseCounts&) { return 1; }, false);
        EXPECT_EQ(groups.size(), 3U);
        EXPECT_EQ(
            groups[c.collective == Collective::allreduce || c.collective == Collective::reduce_scatter ? 2
                                                                                                       : 0],
            std::vector<int>{2});
        EXPECT_EQ(sum_of(dimension_groups.along(groups)).messages, 198 + 198 + 18);
        EXPECT_EQ(algorithm::DimensionGroups(wide, c.collective)
                      .cheapest([](const schedule::PhaseCounts&) { return 1; }, false)
                      .size(),
                  40U);
    }
}

} // namespace
