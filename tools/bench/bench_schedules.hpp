// SPDX-License-Identifier: BSD-3-Clause
// All schedules that would do, what the planner expects of each, and what each takes.
#pragma once

#include <string>
#include <vector>

#include "timing_samples.hpp"

namespace bench {

struct SchedulesOptions {
    std::vector<std::string> collectives = {"alltoall", "allgather"};
    std::vector<int> d = {3};          ///< dimensions
    std::vector<int> n = {3};          ///< offsets {-1, ..., n-2}^d but 0
    std::vector<int> m = {1, 10, 100}; ///< elements of a block
    std::string grid;                  ///< RxCx…, with one d; if empty, MPI_Dims_create's
    bool mesh = false;
    std::vector<std::string> without; ///< of what is by hand
    int samples = simulated ? 1 : 5;  ///< with one, nothing is called before
    int batch = simulated ? 1 : 10;   ///< calls a sample
    std::string csv;
};

/// Prints tables, writes a file if options.csv says so.  A message if something is wrong, on all processes.
std::string run_schedules(const SchedulesOptions& options);

} // namespace bench
