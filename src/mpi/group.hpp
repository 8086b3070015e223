// SPDX-License-Identifier: BSD-3-Clause
// Groups of processes.
#pragma once

#include <mpi.h>

#include <vector>

#include "mpi/failure.hpp"

namespace ortho::mpi {

/// The processes of a communicator (of an inter-communicator those on this side), freed with their owner.
class Group {
public:
    explicit Group(MPI_Comm comm);
    /// Those of a group with these ranks in it, in this order.
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

/// 0 ... size - 1.
std::vector<int> all_ranks(MPI_Group group);

/// The ranks of a communicator's processes in MPI_COMM_WORLD, which there must be: MPI_UNDEFINED for those
/// that are not in it.
std::vector<int> world_ranks(MPI_Comm comm);

/// Which ranks the processes with these ranks in `from` have in `to`: MPI_UNDEFINED for those that are not in
/// it.
std::vector<int> translate(const std::vector<int>& ranks, MPI_Group from, MPI_Group to);

} // namespace ortho::mpi
