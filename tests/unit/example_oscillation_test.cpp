// SPDX-License-Identifier: BSD-3-Clause
#include "oscillation.hpp"

#include <cmath>

namespace {

TEST(Oscillation, FrequencyOfASine)
{
    Oscillation signal;
    for (int t = 0; t < 1000; ++t) signal.add(std::sin(0.1 * t - 1)); // a period is 62.8
    EXPECT_EQ(signal.periods(0), 15);
    EXPECT_NEAR(signal.frequency(0), 0.1 / 6.283185, 1e-6);
}

TEST(Oscillation, WhatIsEarlierDoesNotCount)
{
    Oscillation signal;
    for (int t = 0; t < 1000; ++t) signal.add(std::sin(0.3 * t));
    for (int t = 1000; t < 2000; ++t) signal.add(std::sin(0.1 * t));
    EXPECT_NEAR(signal.frequency(1000), 0.1 / 6.283185, 1e-5);
    EXPECT_GT(signal.frequency(0), 0.02);
}

TEST(Oscillation, NoFrequencyWithoutAWholePeriod)
{
    Oscillation signal;
    EXPECT_EQ(signal.frequency(0), 0);
    for (int t = 0; t < 80; ++t) signal.add(std::sin(0.1 * t - 1));
    EXPECT_EQ(signal.periods(0), 1);
    EXPECT_EQ(signal.periods(40), 0);
    EXPECT_EQ(signal.frequency(40), 0);
}

} // namespace
