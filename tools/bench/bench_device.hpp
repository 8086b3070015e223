// SPDX-License-Identifier: BSD-3-Clause
// ortho-bench device: ghost layers of arrays in the memory of devices.
#pragma once

#include <string>
#include <vector>

#include "bench/comparisons.hpp"

namespace bench {

struct DeviceOptions {
    CellOptions cells; ///< grid, mesh, runs, samples, batch_ms, budget_s, csv
    std::vector<int> fields = {1, 3};
    std::vector<int> sides = {32, 128};
    std::vector<int> depths = {1, 3};
};

/// Prints tables over MPI_COMM_WORLD.  Returns a message about a mistake in the options or the lack of a
/// device, or about wrong results of ours.
std::string run_device(const DeviceOptions& options);

} // namespace bench
