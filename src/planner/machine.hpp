// SPDX-License-Identifier: BSD-3-Clause
// What the planner knows of the machine.  No MPI in this file.
#pragma once

#include <cstdint>

namespace ortho::planner {

/// Linear communication cost: a message of m bytes takes message_ps + m * byte_ps
/// picoseconds (papers: alpha and beta).  Integers, so that all processes compare alike.
///
/// Built-in values: 1 us and 10 GB/s, the order of a cluster interconnect of the 2020s.
struct Machine {
    std::int64_t message_ps = 1'000'000;
    std::int64_t byte_ps = 100;
};

} // namespace ortho::planner
