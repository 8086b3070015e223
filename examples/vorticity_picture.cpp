// SPDX-License-Identifier: BSD-3-Clause
// Pictures of the flow past a cylinder.

#include "vorticity_picture.hpp"

#include <cmath>
#include <cstddef>

#include "colors.hpp"

namespace {

// The part of the stream that is seen, in diameters.
constexpr int shown_ahead = 3; // of the cylinder
constexpr int shown_behind = 21;
constexpr int shown_beside = 4;
constexpr int least_width = 1200; // pixels
constexpr double full_color = 2;  // this vorticity has the last color
constexpr Color cylinder{150, 150, 150};

} // namespace

Picture draw_vorticity(const std::vector<double>& vorticity, const Stream& stream)
{
    const int columns = (shown_ahead + shown_behind) * stream.diameter;
    const int rows = 2 * shown_beside * stream.diameter;
    const int pixels = (least_width + columns - 1) / columns; // of a cell
    const double left = stream.centre_x() - shown_ahead * stream.diameter;
    const double top = stream.centre_y() + shown_beside * stream.diameter;
    const auto cell = [&](int y, int x) {
        return vorticity[static_cast<std::size_t>(y) * static_cast<std::size_t>(stream.columns()) +
                         static_cast<std::size_t>(x)];
    };
    Picture picture(rows * pixels, columns * pixels);
    for (int r = 0; r < picture.rows; ++r)
        for (int c = 0; c < picture.columns; ++c) {
            // Cells' centres are where their numbers are whole; between them it is linear.
            const double y = top - (r + 0.5) / pixels;
            const double x = left + (c + 0.5) / pixels;
            const int below = static_cast<int>(y);
            const int before = static_cast<int>(x);
            const double up = y - below;
            const double right = x - before;
            const double value = (1 - up) *
                                     ((1 - right) * cell(below, before) + right * cell(below, before + 1)) +
                                 up * ((1 - right) * cell(below + 1, before) +
                                       right * cell(below + 1, before + 1));
            // The edge of the cylinder is a pixel wide.
            const double from_edge = 0.5 * stream.diameter -
                                     std::hypot(y - stream.centre_y(), x - stream.centre_x());
            const double covered = std::fmin(1, std::fmax(0, 0.5 + from_edge * pixels));
            const Color color = blend(diverging_color(value / full_color), cylinder, covered);
            picture.set(r, c, color.red, color.green, color.blue);
        }
    return picture;
}
