// SPDX-License-Identifier: BSD-3-Clause
// The choice between two ways for messages that are sent again and again.

#include "nodequeue/faster_way.hpp"

#include <chrono>

#include "standing_clock.hpp"

namespace {

using FasterWay = ortho::nodequeue::FasterWayBy<Clock>;
using Way = FasterWay::Way;
using ortho::nodequeue::CopyChoices;

/// The times of calls, and of the program between them.
struct Times {
    int two, one, after_two, after_one;
};

/// Makes one call, and returns its way.
Way call(FasterWay& faster, const Times& times)
{
    const Way way = faster.begin();
    const bool is_one = way == Way::one_copy;
    Clock::time += std::chrono::nanoseconds(is_one ? times.one : times.two);
    faster.end();
    Clock::time += std::chrono::nanoseconds(is_one ? times.after_one : times.after_two);
    return way;
}

/// The number of calls that are copied once.
int copied_once(FasterWay& faster, const Times& times, int calls)
{
    int result = 0;
    for (int i = 0; i < calls; ++i) result += call(faster, times) == Way::one_copy ? 1 : 0;
    return result;
}

constexpr int trials = 18;

TEST(FasterWay, TakesTheFasterOne)
{
    FasterWay reads;
    EXPECT_EQ(copied_once(reads, {100, 80, 10, 10}, trials), 6);
    EXPECT_EQ(copied_once(reads, {100, 80, 10, 10}, 500), 500);
    FasterWay copies;
    copied_once(copies, {70, 80, 10, 10}, trials);
    EXPECT_EQ(copied_once(copies, {70, 80, 10, 10}, 500), 0);
    EXPECT_EQ(CopyChoices::mine().one_copy, 1U);
    EXPECT_EQ(CopyChoices::mine().two_copies, 1U);
}

TEST(FasterWay, CountsWhatACallDoesToTheProgram)
{
    // Reading the sender's memory takes lines out of its cache, and it writes these lines next.
    FasterWay faster;
    copied_once(faster, {100, 80, 50, 90}, trials);
    EXPECT_EQ(copied_once(faster, {100, 80, 50, 90}, 500), 0);
}

TEST(FasterWay, CountsCallsAloneWhereTheProgramComputesLong)
{
    FasterWay faster;
    copied_once(faster, {100, 80, 5000, 5100}, trials);
    EXPECT_EQ(copied_once(faster, {100, 80, 5000, 5100}, 500), 500);
}

TEST(FasterWay, WaitsUntilTwoCopiesAreSettled)
{
    FasterWay faster;
    for (int i = 0; i < 50 + 4; ++i) { // four are timed
        EXPECT_EQ(faster.begin(i >= 50), Way::two_copies);
        Clock::time += std::chrono::nanoseconds(i < 50 ? 300 : 60);
        faster.end();
        Clock::time += std::chrono::nanoseconds(10);
    }
    EXPECT_EQ(copied_once(faster, {60, 80, 10, 10}, 6), 6);
    EXPECT_EQ(copied_once(faster, {60, 80, 10, 10}, 500), 0);
}

TEST(FasterWay, TriesAgain)
{
    FasterWay faster;
    copied_once(faster, {100, 80, 10, 10}, trials + 1000);
    copied_once(faster, {100, 120, 10, 10}, trials);
    EXPECT_EQ(copied_once(faster, {100, 120, 10, 10}, 500), 0);
}

TEST(FasterWay, ALatePartnerIsNoReason)
{
    FasterWay faster;
    for (int i = 0; i < trials; ++i)
        call(faster, i % 4 == 1 ? Times{900, 900, 10, 10} : Times{100, 80, 10, 10});
    EXPECT_EQ(copied_once(faster, {100, 80, 10, 10}, 100), 100);
}

TEST(FasterWay, AsksTheClockDuringTrialsAlone)
{
    FasterWay faster;
    copied_once(faster, {100, 80, 10, 10}, trials + 1);
    const int asked = Clock::asked;
    copied_once(faster, {100, 80, 10, 10}, 900);
    EXPECT_EQ(Clock::asked, asked);
}

} // namespace
