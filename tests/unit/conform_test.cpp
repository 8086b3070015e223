// SPDX-License-Identifier: BSD-3-Clause

#include "conform/exchange_cases.hpp"
#include "conform/expected_blocks.hpp"

using namespace conform;
using ortho::grid::gap;

namespace {

constexpr Placement in_a_row{false};
constexpr Placement scattered{true};

/// The origins of process q's slots, as pairs.
std::vector<std::pair<int, int>> origins(const Pattern& pattern, int q)
{
    std::vector<std::pair<int, int>> result;
    for (const Origin& origin : pattern[at(q)].origins) result.emplace_back(origin.process, origin.slot);
    return result;
}
using Pairs = std::vector<std::pair<int, int>>;

TEST(Conform, WhatIsSentToMinusOneComesIntoThePlusOneSlot) // MPI-4.1, 8.6
{
    // Slot 0 is for -1, slot 1 for +1.
    EXPECT_EQ(origins(cartesian_pattern({{1}, {1}}), 0), (Pairs{{0, 1}, {0, 0}}));
    EXPECT_EQ(origins(cartesian_pattern({{2}, {1}}), 0), (Pairs{{1, 1}, {1, 0}}));
    EXPECT_EQ(origins(cartesian_pattern({{3}, {1}}), 0), (Pairs{{2, 1}, {1, 0}}));
    EXPECT_EQ(origins(cartesian_pattern({{3}, {0}}), 0), (Pairs{{gap, gap}, {1, 0}}));
    EXPECT_EQ(origins(cartesian_pattern({{2, 1}, {1, 1}}), 1), (Pairs{{0, 1}, {0, 0}, {1, 3}, {1, 2}}));
    // The same exchange with the library's numbers: blocks of slot i arrive in slot i.
    EXPECT_EQ(origins(neighborhood_pattern({{3}, {1}}), 0), (Pairs{{1, 0}, {2, 1}}));
    EXPECT_EQ(neighborhood_pattern({{3}, {1}})[0].in_slots[0], "the +1 slot");
}

TEST(Conform, MultiEdgesArePairedInTheOrderOfTheLists)
{
    const Pattern three = graph_pattern({{0, {1, 1, 1}, {1, 1, 1}}, {1, {0, 0, 0}, {0, 0, 0}}});
    EXPECT_EQ(origins(three, 1), (Pairs{{0, 0}, {0, 1}, {0, 2}}));
    const Pattern mixed = graph_pattern({{0, {2, 0, 2}, {0, 1}}, {1, {0}, {}}, {2, {gap}, {0, gap, 0}}});
    EXPECT_EQ(origins(mixed, 0), (Pairs{{2, 0}, {0, 0}, {2, 2}}));
    EXPECT_EQ(origins(mixed, 1), (Pairs{{0, 1}}));
    EXPECT_EQ(origins(mixed, 2), (Pairs{{gap, gap}}));
}

TEST(Conform, EveryEdgeOfEveryCaseHasTwoEnds)
{
    std::set<std::string> names;
    for (const Case& what : all_cases()) {
        EXPECT_TRUE(names.insert(what.name).second);
        for (const Pattern* pattern : {&what.mpi, &what.ours}) {
            std::map<std::pair<int, int>, int> arrivals;
            for (const Part& part : *pattern) {
                ASSERT_EQ(part.origins.size(), part.lists.sources.size());
                for (std::size_t i = 0; i < part.origins.size(); ++i) {
                    const Origin origin = part.origins[i];
                    ASSERT_EQ(origin.process, part.lists.sources[i]) << what.name;
                    if (origin.process == gap) continue;
                    ASSERT_NE(origin.slot, gap) << what.name;
                    ASSERT_EQ((*pattern)[at(origin.process)].lists.targets[at(origin.slot)], part.lists.rank);
                    ASSERT_EQ(++arrivals[std::make_pair(origin.process, origin.slot)], 1);
                }
            }
            std::size_t departures = 0;
            for (const Part& part : *pattern)
                departures += part.lists.targets.size() -
                              static_cast<std::size_t>(std::ranges::count(part.lists.targets, gap));
            ASSERT_EQ(arrivals.size(), departures) << what.name;
        }
    }
    EXPECT_GE(names.size(), 15U);
}

TEST(Conform, NumbersSayWhereTheyComeFrom)
{
    std::set<int> seen;
    for (int process = 0; process < 8; ++process)
        for (int block = 0; block < 5; ++block)
            for (int call = 0; call < 2; ++call)
                for (int k = 0; k < ints_per_block; ++k)
                    EXPECT_TRUE(seen.insert(content(process, block, call, k)).second);
    EXPECT_FALSE(seen.contains(untouched));
}

/// The data of process q if every slot gets its block in `from`.
std::vector<int> delivered(const std::vector<Origin>& from, Placement placement, int call)
{
    const int slots = static_cast<int>(from.size());
    std::vector<int> buffer(at(placement.ints(slots)), untouched);
    for (int slot = 0; slot < slots; ++slot)
        for (int k = 0; from[at(slot)].process != gap && k < ints_per_block; ++k)
            buffer[at(placement.place(slot, slots) + k)] = content(from[at(slot)].process,
                                                                   from[at(slot)].slot, call, k);
    return buffer;
}

TEST(Conform, RightIsRight)
{
    for (const Case& what : all_cases())
        for (int q = 0; q < what.processes(); ++q)
            for (const Placement placement : {in_a_row, scattered})
                EXPECT_EQ(mistake(what.mpi, q, true, placement, 1,
                                  delivered(what.mpi[at(q)].origins, placement, 1)),
                          "");
}

TEST(Conform, BlocksInOtherSlots)
{
    const Pattern two = cartesian_pattern({{2}, {1}});
    for (const Placement placement : {in_a_row, scattered})
        EXPECT_EQ(mistake(two, 0, true, placement, 0, delivered({{1, 0}, {1, 1}}, placement, 0)),
                  "the block that process 1 sent to +1 did not land in the -1 slot of process 0: "
                  "there lies the block that process 1 sent to -1");
    const Pattern three = graph_pattern({{0, {0, 0, 0}, {0, 0, 0}}}); // backwards
    EXPECT_EQ(mistake(three, 0, true, in_a_row, 0, delivered({{0, 2}, {0, 1}, {0, 0}}, in_a_row, 0)),
              "the block that process 0 sent along its edge 0 did not land in slot 0 of process 0: "
              "there lies the block that process 0 sent along its edge 2");
}

TEST(Conform, WhatElseMayBeWrong)
{
    const Pattern line = cartesian_pattern({{2}, {0}});
    const auto right = delivered(line[0].origins, in_a_row, 1);
    const auto mistake_at = [&](std::size_t i, int content) {
        auto received = right;
        received[i] = content;
        return mistake(line, 0, true, in_a_row, 1, received);
    };
    EXPECT_EQ(mistake_at(0, right[0]), "");
    EXPECT_EQ(mistake_at(0, 5), "something was written into the -1 slot of process 0, which has no neighbor");
    EXPECT_EQ(mistake_at(right.size() - 1, 5), "process 0: something was written outside the slots");
    const std::string not_there =
        "the block that process 1 sent to -1 did not land in the +1 slot of process 0: ";
    EXPECT_EQ(mistake_at(4, right[4] + 1), not_there + "there lies no block of any process");
    const auto mistake_of = [&](const std::vector<Origin>& from, int call) {
        return mistake(line, 0, true, in_a_row, 1, delivered(from, in_a_row, call));
    };
    EXPECT_EQ(mistake_of({{gap, gap}, {gap, gap}}, 1), not_there + "nothing has come");
    EXPECT_EQ(mistake_of(line[0].origins, 0),
              not_there + "there lies the block that process 1 sent to -1 in an earlier call");
    // One block for all.
    EXPECT_EQ(mistake(line, 0, false, in_a_row, 0, delivered({{gap, gap}, {1, 0}}, in_a_row, 0)), "");
    EXPECT_EQ(
        mistake(line, 0, false, in_a_row, 0, delivered({{gap, gap}, {0, 0}}, in_a_row, 0)),
        "the block of process 1 did not land in the +1 slot of process 0: there lies the block of process 0");
}

TEST(Conform, WhatIsSentIsWhatIsExpected)
{
    const Pattern ring = cartesian_pattern({{3}, {1}});
    const auto one = sent(ring[2], false, in_a_row, 0);
    EXPECT_EQ(one[0], content(2, 0, 0, 0));
    const auto two = sent(ring[2], true, scattered, 1);
    EXPECT_EQ(two[at(scattered.place(1, 2) + 2)], content(2, 1, 1, 2));
    EXPECT_EQ(expected(ring, 0, true, scattered, 1)[at(scattered.place(0, 2))], content(2, 1, 1, 0));
}

} // namespace
