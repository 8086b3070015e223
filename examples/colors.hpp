// SPDX-License-Identifier: BSD-3-Clause
// Colors for values.  Equal steps of a value are equal steps to the eye, also to people who see colors
// otherwise.  No MPI in this file.
#pragma once

#include <cstdint>

struct Color {
    std::uint8_t red, green, blue;
};

/// From -1, pale blue, by 0, dark, to 1, pale yellow.  Values beyond the ends have the colors of the ends.
Color diverging_color(double value);

/// From 0, dark blue, to 1, pale yellow.
Color sequential_color(double value);

/// Colors for things that are told apart, 0, 1, ...  The first ones differ most.
Color category_color(int number);

/// A part of `above` over a part of `below`: 1 is `above` alone.
Color blend(const Color& below, const Color& above, double part);
