// SPDX-License-Identifier: BSD-3-Clause
// `ortho-bench overlap`: how much of a halo exchange is hidden behind work on the interior.
#pragma once

#include <string>
#include <vector>

namespace bench {

struct OverlapOptions {
    std::string grid;
    std::vector<int> sides = {64, 128};
    int samples = 21;
};

/// A table over MPI_COMM_WORLD.  Returns a message on a mistake in the options, the same on all processes, or
/// if our results were wrong.
std::string run_overlap(const OverlapOptions& options);

} // namespace bench
