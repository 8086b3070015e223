// SPDX-License-Identifier: BSD-3-Clause
// `ortho-bench setup`: what comes before the first call, and the first call, which plans.
#pragma once

#include <string>
#include <vector>

namespace bench {

struct SetupOptions {
    std::string collective = "alltoall"; ///< or allgather
    std::vector<int> d = {2, 3, 4, 5};
    std::vector<int> n = {3, 4, 5};
    std::vector<int> offsets; ///< if any: so many random ones in place of stencils
    std::string grid;
    bool mesh = false;
    int repeats = 5;
};

/// Runs on MPI_COMM_WORLD.  Returns a message on a mistake in the options, the same on all processes, or
/// if our results were wrong.
std::string run_setup(const SetupOptions& options);

} // namespace bench
