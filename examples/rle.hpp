// SPDX-License-Identifier: BSD-3-Clause
// Patterns of cellular automata in the run-length encoded format (.rle).
#pragma once

#include <iosfwd>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

/// The living cells of a pattern, as (row, column) from its top left corner.
struct Pattern {
    int rows = 0;
    int columns = 0;
    std::vector<std::pair<int, int>> cells;
};

/// The mistake in a pattern, and its line.
class PatternError : public std::runtime_error {
public:
    PatternError(int line, const std::string& what)
        : std::runtime_error("line " + std::to_string(line) + ": " + what)
    {}
};

/// Read a pattern: comment lines (#...), the header "x = columns, y = rows, rule = B3/S23" (the
/// rule may be missing, and may be written 23/3), then runs of b (dead), o (alive) and $ (end of
/// row), over any number of lines, up to "!".  Throws PatternError for anything else, for another
/// rule, and for cells outside the size that the header gives.
Pattern read_rle(std::istream& in);
