// SPDX-License-Identifier: BSD-3-Clause
// `book_bench setup`: the time before the first call, and that of the first call, which plans.
#pragma once

#include <string>
#include <vector>

namespace bench {

struct SetupOptions {
    std::string collective = "alltoall"; ///< or allgather
    std::vector<int> d = {2, 3, 4, 5};
    std::vector<int> n = {3, 4, 5};
    std::vector<int> offsets; ///< numbers of random offsets, in place of stencils
    std::string grid;
    bool mesh = false;
    int repeats = 5;
    bool graphs = false; ///< in place of calls: graphs one after the other on one communicator
};

/// Runs on MPI_COMM_WORLD.  Returns a message about a mistake in the options, the same on all processes, or
/// about wrong results of ours.
std::string run_setup(const SetupOptions& options);

} // namespace bench
