// SPDX-License-Identifier: BSD-3-Clause
// Pictures of maps, for programs in other languages.  No MPI in this file.

#include <cstddef>
#include <cstdio>
#include <stdexcept>

#include "colors.hpp"
#include "picture.hpp"

/// Draws values from -most to most, row by row from below, and those beyond `land` as land, into a PNG file.
/// Returns whether the file could be written.
extern "C" bool draw_map(const char* file, int columns, int rows, const double* values, double most,
                         double land)
{
    constexpr int pixels = 4; // of a side of a cell
    Picture picture(pixels * rows, pixels * columns);
    for (int row = 0; row < picture.rows; ++row)
        for (int column = 0; column < picture.columns; ++column) {
            const std::size_t cell = static_cast<std::size_t>(rows - 1 - row / pixels) *
                                         static_cast<std::size_t>(columns) +
                                     static_cast<std::size_t>(column / pixels);
            const Color color = values[cell] > land ? Color{120, 120, 110}
                                                    : diverging_color(values[cell] / most);
            picture.set(row, column, color.red, color.green, color.blue);
        }
    try {
        picture.write(file);
    } catch (const std::runtime_error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return false;
    }
    return true;
}
