// SPDX-License-Identifier: BSD-3-Clause
// Tables of many problems in one run: each cell has all contestants in turn, and their results.
#pragma once

#include <mpi.h>

#include <mpiortho.h>

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/statistics.hpp"
#include "stencil_exchange.hpp"
#include "timing_samples.hpp"
#include "world_comm.hpp"

namespace bench {

/// With fewer runs a median means little.
inline constexpr int fewest_runs = simulated ? 1 : 5;

struct CellOptions {
    std::string grid; ///< RxCx…; if empty, MPI_Dims_create's
    bool mesh = false;
    int runs = simulated ? 1 : 6; ///< each gives a median; see estimate_median
    int samples = simulated ? 1 : 5;
    double batch_ms = 10; ///< more than a time slice, where processes share cores
    double budget_s = 20; ///< about how long a cell may take
    std::string csv;
};

/// Series by run, then by contestant.
using Runs = std::vector<std::vector<Series>>;

/// Samples of all contestants, in turn, run by run.  Sets their batches so that a sample of each takes
/// options.batch_ms.  If the budget is too small, batches, samples and runs are reduced, but never below
/// fewest_runs.
Runs measure(MPI_Comm comm, std::vector<Contestant>& contestants, const Surroundings& surroundings,
             const CellOptions& options);

/// Samples of mpiortho's contestants that were wrong, in all runs.
int wrong_of_ours(const std::vector<Contestant>& contestants, const Runs& runs);

/// By contestant, then by run: the median of the samples.
std::vector<std::vector<double>> medians_of(const Runs& runs);

/// The first contestant of `library` whose form or algorithm is `word`; there is one.
std::size_t place_of(const std::vector<Contestant>& contestants, std::string_view library,
                     std::string_view word);

/// The fastest form of library "MPI", which must be there; the form "control" does not count.
std::size_t best_of_mpi(const std::vector<Contestant>& contestants,
                        const std::vector<std::vector<double>>& medians);

/// The algorithm of a persistent request; with ortho_forward also of a blocking call.  Frees the request.
std::string algorithm_of(ORTHO_Request request);

/// The algorithm of a form of ours: blocking, nonblocking, persistent or run.  `init` makes a persistent
/// request, which may be collective.
std::string choice(const std::string& form, const std::function<void(MPI_Info, ORTHO_Request*)>& init);

} // namespace bench
