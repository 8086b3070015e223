// SPDX-License-Identifier: BSD-3-Clause
// Times of several ways to do one thing, side by side in one run.
#pragma once

#include <mpi.h>

#include <functional>
#include <string>
#include <vector>

namespace bench {

/// In a simulated machine (bench/simgrid) computing takes no time, each process has a core, and times do not
/// vary: one call is enough.
#ifdef ORTHO_SIMULATED
inline constexpr bool simulated = true;
#else
inline constexpr bool simulated = false;
#endif

/// One way to do the thing.
struct Contestant {
    std::string library;   ///< MPI, mpiortho, or by hand
    std::string form;      ///< blocking, nonblocking, persistent
    std::string algorithm; ///< "" if the library does not say
    std::function<void()> call;
    int batch = 1; ///< calls in a row for one sample
};

/// The results of a contestant.
struct Series {
    std::vector<double> seconds; ///< of a call, for each sample: the slowest process's
    int wrong = 0;               ///< samples after which some process had wrong results
};

/// The work around a sample; the same on all processes.
struct Surroundings {
    std::function<void(int sample)> prepare;  ///< new data
    std::function<bool(int sample)> is_right; ///< are this process's results right?
};

/// Takes `samples` samples of each contestant, all of them in turn, with a different first one each time.  A
/// sample is a batch of calls in a row after a barrier.  Samples are numbered from `first` on.
std::vector<Series> take_samples(MPI_Comm comm, const std::vector<Contestant>& contestants,
                                 const Surroundings& surroundings, int samples, int first = 0);

/// The number of wrong samples of mpiortho's contestants.
int wrong_of_ours(const std::vector<Contestant>& contestants, const std::vector<Series>& series);

/// The time of a call in a batch of calls, on the slowest process; the same on all processes.
double time_batch(MPI_Comm comm, const std::function<void()>& call, int batch);

/// The number of calls in a row that take about `seconds`.  All processes get the same number.
int batch_for(MPI_Comm comm, const std::function<void()>& call, double seconds);

/// The MPI's name: the first line of its version.
std::string mpi_name();

} // namespace bench
