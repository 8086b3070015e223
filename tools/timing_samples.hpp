// SPDX-License-Identifier: BSD-3-Clause
// Timing several ways to do one thing, side by side in one run.
#pragma once

#include <mpi.h>

#include <functional>
#include <string>
#include <vector>

namespace bench {

/// In a simulated machine (bench/simgrid) computing takes no time, a process has a core, and times do not
/// vary: one call tells all.
#ifdef ORTHO_SIMULATED
inline constexpr bool simulated = true;
#else
inline constexpr bool simulated = false;
#endif

/// One way to do the thing.
struct Contestant {
    std::string library;   ///< whose
    std::string form;      ///< blocking, nonblocking, persistent
    std::string algorithm; ///< "" if the library does not say
    std::function<void()> call;
    int batch = 1; ///< calls in a row that make a sample
};

/// What came of a contestant.
struct Series {
    std::vector<double> seconds; ///< of a call, for each sample: the slowest process's
    int wrong = 0;               ///< samples after which some process had wrong results
};

/// What is done around a sample; the same on all processes.
struct Surroundings {
    std::function<void(int sample)> prepare;  ///< new data
    std::function<bool(int sample)> is_right; ///< are this process's results what they should be?
};

/// `samples` samples of each contestant, all of them in turn, a different one first each time; a sample
/// is a batch of calls in a row after a barrier.  Samples are numbered from `first` on.
std::vector<Series> take_samples(MPI_Comm comm, const std::vector<Contestant>& contestants,
                                 const Surroundings& surroundings, int samples, int first = 0);

/// Samples of mpiortho's contestants that were wrong.
int wrong_of_ours(const std::vector<Contestant>& contestants, const std::vector<Series>& series);

/// A call's time in a batch of calls, the slowest process's, everywhere.
double time_batch(MPI_Comm comm, const std::function<void()>& call, int batch);

/// How many calls in a row take about `seconds`.  The same on all processes.
int batch_for(MPI_Comm comm, const std::function<void()>& call, double seconds);

/// The MPI's name: the first line of what it says.
std::string mpi_name();

} // namespace bench
