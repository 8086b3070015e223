// SPDX-License-Identifier: BSD-3-Clause
// The table of cells that is printed, and the file that is written.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "bench/comparisons.hpp"
#include "bench/table_columns.hpp"
#include "csv_file.hpp"
#include "progress.hpp"

namespace bench {

/// Prints comments above a table: the MPI, the subject (`about`), the meaning of a ratio and of the columns;
/// and the names of the columns.
void print_heading(int processes, const std::string& about, const std::string& ratio, int runs,
                   std::span<const Column> columns);

/// A median, and in brackets the interval of the true median.
std::string ratio_text(const Estimate& estimate);

/// Writes a line for each sample: `before`, the contestant, run, sample, batch, microseconds, as many empty
/// columns as `between` has commas, and whether the results were right.
void write_samples(CsvFile& csv, const std::string& before, const std::vector<Contestant>& contestants,
                   const Runs& runs, const char* between = "");

/// Did the contestant have wrong results?
bool is_wrong(const Runs& runs, std::size_t contestant);

/// A note that names the contestants with wrong results by their library and `word`, a form or an algorithm; ""
/// if there are none.
std::string wrong_contestants(const std::vector<Contestant>& contestants, const Runs& runs,
                              std::string Contestant::*word = &Contestant::form);

} // namespace bench
