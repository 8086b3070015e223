// SPDX-License-Identifier: BSD-3-Clause
// Which stores put rows into a ring faster, and that both kinds put the same bytes there.

#include "nodequeue/faster_stores.hpp"

#include <chrono>

#include "standing_clock.hpp"
#include "transport/row_past_caches.hpp"

namespace {

using FasterStores = ortho::nodequeue::FasterStoresBy<Clock>;
using ortho::nodequeue::CopyChoices;
constexpr std::size_t row = 4096;
constexpr std::size_t round_bytes = 16 * row;
constexpr int trials = 16 + 1 + 8; // one round, one more row, and then four rows of each kind

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
    EXPECT_EQ(rows_past(far, 2600, 340, trials), 4);
    EXPECT_EQ(rows_past(far, 2600, 340, 500), 500);
    FasterStores near(round_bytes);
    EXPECT_EQ(rows_past(near, 660, 250, trials), 4);
    EXPECT_EQ(rows_past(near, 660, 250, 500), 0);
    EXPECT_EQ(CopyChoices::mine().stores_past_caches, 1U);
    EXPECT_EQ(CopyChoices::mine().usual_stores, 1U);
}

TEST(FasterStores, AreTriedAgain)
{
    FasterStores stores(round_bytes);
    const int kept = 200 * 16;
    EXPECT_EQ(rows_past(stores, 2600, 340, kept), kept - trials + 4);
    rows_past(stores, 660, 250, trials);
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
    rows_past(stores, 2600, 340, trials);
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
