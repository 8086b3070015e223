// SPDX-License-Identifier: BSD-3-Clause
// Patterns of Life: cells lie in the size that the header gives.
#include "rle.hpp"

#include <sstream>

#include "fuzz.hpp"

FUZZ(PatternError, text)
{
    std::istringstream in(text);
    const Pattern pattern = read_rle(in);
    for (const auto& [row, column] : pattern.cells)
        demand(row >= 0 && row < pattern.rows && column >= 0 && column < pattern.columns);
}
