// SPDX-License-Identifier: BSD-3-Clause
// Colors for values.

#include "colors.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <span>

namespace {

/// A color by lightness, colorfulness and hue in degrees, in a space where distances are what the eye sees:
/// B. Ottosson, A perceptual color space for image processing (Oklab), 2020.
struct Shade {
    double lightness, chroma, hue;
};

/// One of red, green, blue as a file has it.
std::uint8_t encoded(double linear)
{
    const double in_range = std::clamp(linear, 0.0, 1.0);
    const double value = in_range <= 0.0031308 ? 12.92 * in_range
                                               : 1.055 * std::pow(in_range, 1 / 2.4) - 0.055;
    return static_cast<std::uint8_t>(std::lround(255 * value));
}

struct Lab {
    double lightness, a, b;
};

Lab to_lab(const Shade& shade)
{
    const double angle = shade.hue / 180 * std::numbers::pi;
    return {shade.lightness, shade.chroma * std::cos(angle), shade.chroma * std::sin(angle)};
}

Color to_color(const Lab& lab)
{
    const auto cube = [](double x) { return x * x * x; };
    const double l = cube(lab.lightness + 0.3963377774 * lab.a + 0.2158037573 * lab.b);
    const double m = cube(lab.lightness - 0.1055613458 * lab.a - 0.0638541728 * lab.b);
    const double s = cube(lab.lightness - 0.0894841775 * lab.a - 1.2914855480 * lab.b);
    return {encoded(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
            encoded(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
            encoded(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s)};
}

/// Between shades that are equally far apart; 0 is the first, 1 is the last.
Color between(std::span<const Shade> shades, double value)
{
    const double last = static_cast<double>(shades.size() - 1);
    const double at = std::clamp(value, 0.0, 1.0) * last;
    const double before = std::min(std::floor(at), last - 1);
    const Lab from = to_lab(shades[static_cast<std::size_t>(before)]);
    const Lab to = to_lab(shades[static_cast<std::size_t>(before) + 1]);
    const double share = at - before;
    return to_color({from.lightness + share * (to.lightness - from.lightness),
                     from.a + share * (to.a - from.a), from.b + share * (to.b - from.b)});
}

} // namespace

Color diverging_color(double value)
{
    static constexpr Shade shades[] = {
        {0.95, 0.05, 215}, {0.56, 0.14, 250}, {0.17, 0.01, 280}, {0.56, 0.17, 40}, {0.95, 0.09, 100}};
    return between(shades, 0.5 + 0.5 * value);
}

Color sequential_color(double value)
{
    static constexpr Shade shades[] = {
        {0.20, 0.09, 285}, {0.385, 0.15, 310}, {0.57, 0.17, 0}, {0.755, 0.15, 50}, {0.94, 0.10, 100}};
    return between(shades, value);
}

Color category_color(int number)
{
    // Lightness differs, too, so that neighbors in the list differ to all eyes.
    static constexpr double lightnesses[] = {0.55, 0.80, 0.66, 0.90, 0.45};
    const double golden = 137.508; // degrees: no two hues come close soon
    return to_color(to_lab({lightnesses[number % 5], 0.12, 250 + golden * number}));
}

Color blend(const Color& below, const Color& above, double part)
{
    const auto mix = [part](std::uint8_t a, std::uint8_t b) {
        return static_cast<std::uint8_t>(std::lround((1 - part) * a + part * b));
    };
    return {mix(below.red, above.red), mix(below.green, above.green), mix(below.blue, above.blue)};
}
