// SPDX-License-Identifier: BSD-3-Clause
// The exchanges to test.  No MPI in this file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "conform/exchange_pattern.hpp"

namespace conform {

struct Case {
    std::string name;
    std::optional<CartesianGrid> grid; ///< of a Cartesian communicator; else a distributed graph
    bool tries_mpi;                    ///< else MPI's calls are not tried
    Pattern mpi;                       ///< slots in MPI's order
    Pattern ours;                      ///< slots in the order of the library's constructors

    int processes() const { return static_cast<int>(mpi.size()); }
};

std::vector<Case> all_cases();

} // namespace conform
