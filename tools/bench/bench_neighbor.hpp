// SPDX-License-Identifier: BSD-3-Clause
// `ortho-bench neighbor`: exchanges with neighbors, each form of ours against the same form of MPI's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/comparisons.hpp"

namespace bench {

struct NeighborOptions {
    CellOptions cells; ///< grid, mesh, runs, samples, batch_ms, budget_s, csv
    std::vector<std::string> collectives = {"alltoall"}; ///< or allgather, alltoallv, allgatherv, alltoallw
    std::vector<std::string> forms = {"blocking", "nonblocking", "persistent", "run"};
    int dimensions = 2;                              ///< of the grid, by default
    std::vector<std::string> stencils = {"moore:1"}; ///< 3d:moore:1 says the dimensions
    std::vector<int> bytes = {4, 64, 1024, 16384};   ///< of a block, multiples of 4
    std::vector<std::string> algorithms = {"auto"};
    bool forward = false;
    std::int64_t room = std::int64_t{256} << 20; ///< cells with larger buffers are left out
};

/// Runs on MPI_COMM_WORLD.  Returns a message about a mistake in the options, the same on all processes, or
/// about wrong results of ours.
std::string run_neighbor(const NeighborOptions& options);

} // namespace bench
