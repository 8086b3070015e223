// SPDX-License-Identifier: BSD-3-Clause
// The statistics of ortho-bench.
#include "bench/statistics.hpp"

namespace {

using bench::estimate_median;

std::vector<double> up_to(int n)
{
    std::vector<double> numbers;
    for (int i = n; i >= 1; --i) numbers.push_back(i);
    return numbers;
}

TEST(Statistics, Medians)
{
    EXPECT_EQ(bench::median({}), 0);
    EXPECT_EQ(bench::median({3, 1, 2}), 2);
    EXPECT_EQ(bench::median({4, 1, 2, 3}), 2.5);
}

TEST(Statistics, GeometricMeans)
{
    EXPECT_EQ(bench::geometric_mean({}), 1);
    EXPECT_NEAR(bench::geometric_mean(std::vector<double>{2, 8}), 4, 1e-12);
}

TEST(Statistics, Verdicts)
{
    const bench::Verdict twice = bench::judge(4, 2, 4);
    EXPECT_EQ(twice.ratio, 2);
    EXPECT_EQ(twice.control, 1);
    EXPECT_FALSE(twice.slower);
    EXPECT_NEAR(bench::judge(8, 2, 2).ratio, 2, 1e-12);
    // Below 0.97 by more than the control differs from 1, whichever of MPI's times is the longer one.
    EXPECT_FALSE(bench::judge(0.98, 1, 0.98).slower);
    EXPECT_TRUE(bench::judge(0.96, 1, 0.96).slower);
    EXPECT_FALSE(bench::judge(0.95, 1, 0.90).slower);
    EXPECT_FALSE(bench::judge(0.90, 1, 0.95).slower);
    EXPECT_TRUE(bench::judge(0.92, 1, 0.90).slower);
    EXPECT_TRUE(bench::judge(0.90, 1, 0.92).slower);
}

TEST(Statistics, Ratios)
{
    EXPECT_EQ(bench::ratios(std::vector<double>{6, 9}, std::vector<double>{2, 3}),
              (std::vector<double>{3, 3}));
}

/// The tables in books for 95 %.
TEST(Statistics, RanksOfTheInterval)
{
    const struct {
        int n, low;
        double coverage;
    } known[] = {{1, 1, 0},          {2, 1, 0.5},        {5, 1, 0.9375},
                 {6, 1, 0.96875},    {8, 1, 0.9921875},  {9, 2, 0.9609375},
                 {12, 3, 0.9614258}, {15, 4, 0.9648438}, {20, 6, 0.9586105}};
    for (const auto& [n, low, coverage] : known) {
        const bench::Estimate estimate = estimate_median(up_to(n));
        EXPECT_EQ(estimate.low, low) << n;
        EXPECT_EQ(estimate.high, n + 1 - low) << n;
        EXPECT_NEAR(estimate.coverage, coverage, 1e-6) << n;
        EXPECT_EQ(estimate.median, (n + 1) / 2.0) << n;
    }
}

TEST(Statistics, TheIntervalCoversAsOftenAsItSays)
{
    std::mt19937 random(17);
    std::exponential_distribution<double> skewed(1);
    const double truth = std::log(2.0);
    int inside = 0;
    constexpr int trials = 20'000;
    for (int trial = 0; trial < trials; ++trial) {
        std::vector<double> numbers(9);
        std::ranges::generate(numbers, [&] { return skewed(random); });
        const bench::Estimate estimate = estimate_median(numbers);
        inside += estimate.low <= truth && truth <= estimate.high ? 1 : 0;
    }
    EXPECT_NEAR(static_cast<double>(inside) / trials, 0.9609375, 0.006);
}

} // namespace
