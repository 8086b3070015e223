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
    std::vector<int> d = {2, 3, 4, 5}; ///< dimensions
    std::vector<int> n = {3, 4, 5};    ///< offsets {-1, ..., n-2}^d but 0
    std::vector<int> m = {1, 10, 100}; ///< elements of a block
    std::string grid;                  ///< RxCx…, with one d; if empty, MPI_Dims_create's
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

/// The comparison of the contestants.  Library "MPI" has its forms, and as form "control" its blocking call
/// once more; "mpiortho" has the algorithms "auto" and "direct".  With ratios above 1 ours is faster.
struct Comparison {
    std::size_t best = 0; ///< MPI's form with the least median
    double mpi_seconds = 0;
    double our_seconds = 0;
    Estimate speedup; ///< best of MPI's / auto
    Estimate direct;  ///< best of MPI's / direct
    Estimate control; ///< MPI's blocking call / MPI's blocking call once more
};
Comparison compare(const std::vector<Contestant>& contestants, const Runs& runs);

/// The algorithm of a persistent request; with ortho_forward also of a blocking call.  Frees the request.
std::string algorithm_of(ORTHO_Request request);

/// The algorithm of a form of ours: blocking, nonblocking, persistent or run.  `init` makes a persistent
/// request, which may be collective.
std::string choice(const std::string& form, const std::function<void(MPI_Info, ORTHO_Request*)>& init);

/// One block size of a stencil: measures and reports.
using MeasureCell = std::function<void(int m, std::vector<Contestant>& contestants,
                                       const Surroundings& surroundings, const std::string& chosen)>;
/// All block sizes of a stencil: makes communicators and contestants; calls `measure` for each of options.m.
using MeasureStencil = std::function<void(const World& world, const std::string& collective,
                                          const Exchange& exchange, const MeasureCell& measure)>;

/// Prints a table over MPI_COMM_WORLD.  Returns a message about a mistake in the options, the same on all
/// processes, or about wrong results of ours.
std::string run_cells(const CellOptions& options, const std::vector<std::string>& collectives,
                      const std::string& about, const MeasureStencil& measure_stencil);

} // namespace bench
