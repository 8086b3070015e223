// SPDX-License-Identifier: BSD-3-Clause
// `book_bench window`: ghost layers by one-sided communication, and by collectives.
#pragma once

#include <string>
#include <vector>

#include "bench/array.hpp"
#include "bench/comparisons.hpp"

namespace bench {

struct WindowOptions {
    CellOptions cells; ///< grid, mesh, runs, samples, batch_ms, budget_s, csv
    std::vector<int> sides = {16, 32, 64};
    std::vector<int> depths = {1};
    std::string memory = private_memory; ///< of the field
};

/// Prints a table over MPI_COMM_WORLD.  Returns a message about a mistake in the options, the same on all
/// processes, or about wrong results of ours.
std::string run_window(const WindowOptions& options);

} // namespace bench
