// SPDX-License-Identifier: BSD-3-Clause
// `book_bench sweep`: placements of many grids against Gropp's and the lower bound.
#pragma once

#include <string>

namespace plan {

struct SweepOptions {
    int processes = 4096;  ///< at most
    int node_size = 128;   ///< at most
    int stride = 1;        ///< one case of so many
    bool dividing = false; ///< only node sizes that divide the number of processes
    std::string csv;       ///< a file, or empty
};

/// Compares placements on balanced grids of 2 to 4 dimensions without periods, with a step each way in each
/// dimension, on nodes of each size from 2 on.  Prints how often ours is better than Gropp's, how often it
/// reaches the bound, and its excess.  Throws base::Error if the file cannot be written.
void print_sweep(const SweepOptions& options);

} // namespace plan
