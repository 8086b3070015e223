// SPDX-License-Identifier: BSD-3-Clause
#include "colors.hpp"

#include <cmath>

namespace {

/// The lightness of a color, 0 to 100 (CIE L*).
double lightness(const Color& color)
{
    const auto linear = [](int c) {
        const double x = c / 255.0;
        return x <= 0.04045 ? x / 12.92 : std::pow((x + 0.055) / 1.055, 2.4);
    };
    const double y = 0.2126 * linear(color.red) + 0.7152 * linear(color.green) + 0.0722 * linear(color.blue);
    return y > 0.008856 ? 116 * std::cbrt(y) - 16 : 903.3 * y;
}

TEST(Colors, SequentialColorsBecomeLighterInEqualSteps)
{
    const double whole = lightness(sequential_color(1)) - lightness(sequential_color(0));
    EXPECT_GT(whole, 70);
    for (int i = 0; i < 10; ++i) {
        const double step = lightness(sequential_color(0.1 * (i + 1))) - lightness(sequential_color(0.1 * i));
        EXPECT_GT(step, 0.05 * whole) << i;
        EXPECT_LT(step, 0.16 * whole) << i;
    }
}

TEST(Colors, DivergingColorsAreDarkInTheMiddleAndAsLightOnBothSides)
{
    EXPECT_LT(lightness(diverging_color(0)), 10);
    for (const double value : {0.25, 0.5, 0.75, 1.0}) {
        const double cold = lightness(diverging_color(-value)), warm = lightness(diverging_color(value));
        EXPECT_GT(cold, lightness(diverging_color(0.25 - value)));
        EXPECT_NEAR(cold, warm, 8) << value;
    }
    EXPECT_GT(diverging_color(-0.5).blue, diverging_color(-0.5).red);
    EXPECT_GT(diverging_color(0.5).red, diverging_color(0.5).blue);
}

TEST(Colors, WhatIsBeyondTheEndsIsAsTheEnds)
{
    EXPECT_EQ(lightness(diverging_color(7)), lightness(diverging_color(1)));
    EXPECT_EQ(lightness(sequential_color(-7)), lightness(sequential_color(0)));
}

TEST(Colors, BlendsFromOneToTheOther)
{
    const Color half = blend({0, 100, 200}, {100, 100, 0}, 0.5);
    EXPECT_EQ(half.red, 50);
    EXPECT_EQ(half.green, 100);
    EXPECT_EQ(half.blue, 100);
}

} // namespace
