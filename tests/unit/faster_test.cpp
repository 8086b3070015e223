// SPDX-License-Identifier: BSD-3-Clause
// The choices between two ways: for messages that are sent again and again, and for stores that put rows into a ring.
// Both kinds of stores put the same bytes there.

#include "nodequeue/faster_stores.hpp"
#include "nodequeue/faster_way.hpp"

#include <chrono>

#include "transport/row_past_caches.hpp"

namespace {

/// A clock that stands still until it is told to go on.
struct Clock {
    using duration = std::chrono::nanoseconds;
    using time_point = std::chrono::time_point<Clock, duration>;
    static inline time_point time{};
    static inline int asked = 0;
    static time_point now()
    {
        ++asked;
        return time;
    }
};

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

using FasterStores = ortho::nodequeue::FasterStoresBy<Clock>;
constexpr std::size_t row = 4096;
constexpr std::size_t round_bytes = 16 * row;
constexpr int store_trials = 16 + 1 + 8; // one round, one more row, and then four rows of each kind

/// How many of so many rows take stores past the caches.
int rows_past(FasterStores& stores, int usual_time, int past_time, int rows, std::size_t bytes = row)
{
    int result = 0;
    for (int i = 0; i < rows; ++i) {
        const bool past = stores.begin(bytes);
        Clock::time += std::chrono::nanoseconds(past ? past_time : usual_time);
        stores.end(bytes);
        EXPECT_FALSE(past && stores.may_prefetch());
        result += past ? 1 : 0;
    }
    return result;
}

TEST(FasterStores, GoPastTheCachesWhereUsualOnesTakeFourTimesAsLong)
{
    FasterStores far(round_bytes);
    EXPECT_EQ(rows_past(far, 2600, 340, store_trials), 4);
    EXPECT_EQ(rows_past(far, 2600, 340, 500), 500);
    FasterStores near(round_bytes);
    EXPECT_EQ(rows_past(near, 660, 250, store_trials), 4);
    EXPECT_EQ(rows_past(near, 660, 250, 500), 0);
    EXPECT_EQ(CopyChoices::mine().stores_past_caches, 1U);
    EXPECT_EQ(CopyChoices::mine().usual_stores, 1U);
}

TEST(FasterStores, AreTriedAgain)
{
    FasterStores stores(round_bytes);
    const int kept = 200 * 16;
    EXPECT_EQ(rows_past(stores, 2600, 340, kept), kept - store_trials + 4);
    rows_past(stores, 660, 250, store_trials);
    EXPECT_EQ(rows_past(stores, 660, 250, 500), 0);
}

TEST(FasterStores, SmallRowsTakeUsualOnesAndAskNoClock)
{
    FasterStores stores(round_bytes);
    const int asked = Clock::asked;
    EXPECT_EQ(rows_past(stores, 2600, 340, 1000, FasterStores::least_bytes - 1), 0);
    EXPECT_EQ(Clock::asked, asked);
}

TEST(FasterStores, AskTheClockInTrialsAlone)
{
    FasterStores stores(round_bytes);
    rows_past(stores, 2600, 340, store_trials);
    const int asked = Clock::asked;
    rows_past(stores, 2600, 340, 1000);
    EXPECT_EQ(Clock::asked, asked);
}

TEST(RowPastCaches, HasTheBytesThatWereAppended)
{
    std::mt19937 random(1);
    const auto up_to = [&](std::size_t most) {
        return std::uniform_int_distribution<std::size_t>(0, most)(random);
    };
    std::vector<std::byte> data(1 << 16);
    std::ranges::generate(data, [&] { return static_cast<std::byte>(random()); });
    for (int round = 0; round < 500; ++round) {
        const std::size_t begin = up_to(200);
        std::vector<std::byte> wanted(begin, std::byte{77});
        std::vector<std::byte> got(begin + (1 << 18), std::byte{77});
        ortho::transport::RowPastCaches sink(got.data() + begin);
        const std::size_t longest = std::size_t{1} << up_to(12);
        for (std::size_t runs = 1 + up_to(40); runs > 0; --runs) {
            const std::size_t length = up_to(longest);
            const std::byte* const from = data.data() + up_to(data.size() - length);
            sink.append(from, length);
            wanted.insert(wanted.end(), from, from + length);
        }
        sink.end();
        wanted.resize(got.size(), std::byte{77});
        ASSERT_EQ(got, wanted) << "round " << round;
    }
}

} // namespace
