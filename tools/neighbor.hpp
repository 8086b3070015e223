// SPDX-License-Identifier: BSD-3-Clause
// `ortho-bench neighbor`: exchanges with neighbors, ours and MPI's.
#pragma once

#include <string>
#include <vector>

namespace bench {

struct NeighborOptions {
    std::string collective = "alltoall"; ///< or allgather, alltoallv, allgatherv, alltoallw
    std::string grid;                    ///< RxCx…; if empty, of so many dimensions:
    int dimensions = 2;
    bool mesh = false;
    std::string stencil = "moore:1";
    std::vector<int> bytes = {4, 64, 1024, 16384};
    std::vector<std::string> algorithms = {"auto"};
    int samples = 30;
    double batch_ms = 2;
    bool forward = false;
    std::string csv;
};

/// Runs on MPI_COMM_WORLD.  Returns a message on a mistake in the options, the same on all processes, or
/// if our results were wrong.
std::string run_neighbor(const NeighborOptions& options);

} // namespace bench
