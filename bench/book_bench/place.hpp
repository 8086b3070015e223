// SPDX-License-Identifier: BSD-3-Clause
// `book_bench place`: one exchange with the neighbors on a grid, with ranks as numbered and placed on nodes.
#pragma once

#include <string>
#include <vector>

#include "bench/comparisons.hpp"

namespace bench {

struct PlaceOptions {
    CellOptions cells;  ///< grid, mesh, runs, samples, batch_ms, budget_s, csv
    int dimensions = 2; ///< of the grid, if that is not given
    std::string stencil = "manhattan:1";
    std::vector<int> bytes = {1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20};
};

/// Prints a table over MPI_COMM_WORLD.  Returns a message about a mistake in the options, the same on all
/// processes, or about wrong results.
std::string run_place(const PlaceOptions& options);

} // namespace bench
