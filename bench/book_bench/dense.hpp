// SPDX-License-Identifier: BSD-3-Clause
// `book_bench dense`: exchanges between all processes, on a full communicator.
#pragma once

#include <string>
#include <vector>

#include "bench/comparisons.hpp"

namespace bench {

struct DenseOptions {
    CellOptions cells; ///< runs, samples, batch_ms, budget_s, csv
    std::vector<std::string> collectives = {"alltoall", "allgather"};
    std::vector<int> bytes = {4, 64, 1024, 4096, 16384, 65536};
};

/// Prints a table over MPI_COMM_WORLD.  Returns a message about a mistake in the options, the same on all
/// processes, or about wrong results of ours.
std::string run_dense(const DenseOptions& options);

} // namespace bench
