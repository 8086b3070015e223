// SPDX-License-Identifier: BSD-3-Clause
// All schedules that can serve a call: the planner's prediction for each, and its measured time.
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
    std::vector<std::string> without; ///< schedules by hand to leave out
    int samples = simulated ? 1 : 5;  ///< with one sample, nothing is called before
    int batch = simulated ? 1 : 10;   ///< calls for each sample
    std::string csv;
};

/// Prints tables, and writes the file options.csv.  Returns a message about an error, on all processes.
std::string run_schedules(const SchedulesOptions& options);

} // namespace bench
