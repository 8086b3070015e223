// SPDX-License-Identifier: BSD-3-Clause
// ortho-bench halo: ghost layers of fields on a grid of three dimensions, with all 26 neighbors.
#pragma once

#include <string>
#include <vector>

#include "cells.hpp"

namespace bench {

struct HaloOptions {
    CellOptions cells; ///< grid, mesh, runs, samples, batch_ms, budget_s, csv
    std::vector<int> sides = {16, 32, 64, 128};
    std::vector<int> depths = {1, 3};
    std::vector<int> fields = {1, 4};
    bool heap = false; ///< fields in memory that the processes of a node share
};

/// A table over MPI_COMM_WORLD.  Returns a message on a mistake in the options, the same on all processes, or
/// if our results were wrong.
std::string run_halo(const HaloOptions& options);

} // namespace bench
