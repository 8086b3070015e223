// SPDX-License-Identifier: BSD-3-Clause
// `book_bench overlap`: the part of a halo exchange that is hidden behind work on the interior.
#pragma once

#include <string>
#include <vector>

namespace bench {

struct OverlapOptions {
    std::string grid;
    std::vector<int> sides = {64, 128};
    int samples = 21;
};

/// Prints a table over MPI_COMM_WORLD.  Returns a message about a mistake in the options, the same on all
/// processes, or about wrong results of ours.
std::string run_overlap(const OverlapOptions& options);

} // namespace bench
