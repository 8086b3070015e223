// SPDX-License-Identifier: BSD-3-Clause
// ortho-bench halo: ghost layers of fields on a grid of three dimensions, with all 26 neighbors.
#pragma once

#include <string>
#include <vector>

#include "bench/array.hpp"
#include "bench/comparisons.hpp"

namespace bench {

struct HaloOptions {
    CellOptions cells; ///< grid, mesh, runs, samples, batch_ms, budget_s, csv
    std::vector<int> sides = {16, 32, 64, 128};
    std::vector<int> depths = {1, 3};
    std::vector<int> fields = {1, 4};
    std::string memory = private_memory; ///< of the fields
    std::vector<std::string> forms;      ///< persistent, run: a table of these forms; if empty, one of cells
    std::vector<std::string> directions = {"all"}; ///< of that table: all, outward
};

/// Prints a table over MPI_COMM_WORLD.  Returns a message about a mistake in the options, the same on all
/// processes, or about wrong results of ours.
std::string run_halo(const HaloOptions& options);

} // namespace bench
