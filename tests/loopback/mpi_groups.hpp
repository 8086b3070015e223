// SPDX-License-Identifier: BSD-3-Clause
// Groups: lists of ranks in MPI_COMM_WORLD.
#pragma once

#include <mpi.h>

#include <vector>

namespace loopback {

struct Group {
    std::vector<int> members;
};

const std::vector<int>& members_of(MPI_Group group);

} // namespace loopback
