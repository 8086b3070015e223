// SPDX-License-Identifier: BSD-3-Clause
// What is printed of cells, and written to a file.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "cells.hpp"

namespace bench {

/// One problem.
struct Cell {
    std::string collective;
    std::vector<int> dims; ///< of the grid
    int n = 0;
    int t = 0; ///< offsets
    int m = 0;
};

/// The table, and the CSV file.  On rank 0.
class CellTable {
public:
    CellTable(const CellOptions& options, int processes, const std::string& about);
    ~CellTable();
    CellTable(const CellTable&) = delete;
    CellTable& operator=(const CellTable&) = delete;

    bool is_open() const { return options_.csv.empty() || file_ != nullptr; }
    void add(const Cell& cell, const std::vector<Contestant>& contestants, const Runs& runs, const std::string& chosen);
    void end() const;

private:
    void write(const Cell& cell, const std::vector<Contestant>& contestants, const Runs& runs, const Comparison& result,
               const std::string& chosen);

    const CellOptions& options_;
    int processes_;
    std::vector<Comparison> results_;
    std::FILE* file_ = nullptr;
};

} // namespace bench
