// SPDX-License-Identifier: BSD-3-Clause
// `ortho-plan schedule`: the schedule of one process.
#pragma once

#include <optional>
#include <string>

#include "plan/planned_call.hpp"

namespace plan {

struct ScheduleOptions {
    std::string specification;
    std::string algorithm;   ///< if empty, the planner's choice
    std::optional<int> rank; ///< if not given, a process in the middle
    std::string svg;         ///< a file, or empty
    bool memory = false;     ///< print what it takes of memory that a node shares
    MachineOptions machine;
};

/// Prints the counts of the schedule, and the schedule in words; makes the picture.  Throws base::Error for a
/// mistake in the options.
void print_schedule(const ScheduleOptions& options);

} // namespace plan
