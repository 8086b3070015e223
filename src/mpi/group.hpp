// SPDX-License-Identifier: BSD-3-Clause
// Groups of processes.
#pragma once

#include <mpi.h>

#include <vector>

#include "mpi/failure.hpp"

namespace ortho::mpi {

/// The processes of a communicator (of an inter-communicator, those on this side); frees the group.
class Group {
public:
    explicit Group(MPI_Comm comm);
    /// The processes with these ranks in `all`, in this order.
    Group(const Group& all, const std::vector<int>& ranks)
    {
        check(PMPI_Group_incl(all.get(), static_cast<int>(ranks.size()), ranks.data(), &group_));
    }
    ~Group() { PMPI_Group_free(&group_); }
    Group(const Group&) = delete;
    Group& operator=(const Group&) = delete;

    MPI_Group get() const { return group_; }

private:
    MPI_Group group_ = MPI_GROUP_NULL;
};

/// The list 0 ... size - 1.
std::vector<int> all_ranks(MPI_Group group);

/// Ranks of a communicator's processes in MPI_COMM_WORLD, or MPI_UNDEFINED.  The program has called MPI_Init.
std::vector<int> world_ranks(MPI_Comm comm);

/// The ranks in `to` of the processes with these ranks in `from`; MPI_UNDEFINED for those outside `to`.
std::vector<int> translate(const std::vector<int>& ranks, MPI_Group from, MPI_Group to);

} // namespace ortho::mpi
