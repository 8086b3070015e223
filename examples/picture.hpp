// SPDX-License-Identifier: BSD-3-Clause
// Pictures in PNG files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// A picture of 8-bit RGB pixels, row by row from the top.
struct Picture {
    int rows;
    int columns;
    std::vector<std::uint8_t> rgb;

    Picture(int rows_, int columns_);
    void set(int row, int column, std::uint8_t red, std::uint8_t green, std::uint8_t blue);
    /// Throws std::runtime_error if the file cannot be written.
    void write(const std::string& file) const;
};
