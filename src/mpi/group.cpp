// SPDX-License-Identifier: BSD-3-Clause
// Groups of processes.

#include "mpi/group.hpp"

#include <cstddef>
#include <numeric>
#include <utility>

#include "mpi/comm.hpp"

namespace ortho::mpi {

Group::Group(MPI_Comm comm)
{
    check_users(PMPI_Comm_group(comm, &group_));
    int in_group = 0;
    check(PMPI_Group_size(group_, &in_group));
    const int in_comm = size_of(comm);
    if (in_group == in_comm) return;
    // For a grid with fewer points than its parent has processes, MPICH 5.0 returns the parent's group.  The
    // first processes of that group have the points.
    std::vector<int> first(static_cast<std::size_t>(in_comm));
    std::iota(first.begin(), first.end(), 0);
    MPI_Group members = MPI_GROUP_NULL;
    check(PMPI_Group_incl(group_, in_comm, first.data(), &members));
    std::swap(group_, members);
    check(PMPI_Group_free(&members));
}

std::vector<int> all_ranks(MPI_Group group)
{
    int size = 0;
    check_users(PMPI_Group_size(group, &size));
    std::vector<int> ranks(static_cast<std::size_t>(size));
    std::iota(ranks.begin(), ranks.end(), 0);
    return ranks;
}

std::vector<int> world_ranks(MPI_Comm comm)
{
    const Group group(comm);
    return translate(all_ranks(group.get()), group.get(), Group(MPI_COMM_WORLD).get());
}

std::vector<int> translate(const std::vector<int>& ranks, MPI_Group from, MPI_Group to)
{
    std::vector<int> result(ranks.size());
    if (ranks.empty()) return result;
    check_users(
        PMPI_Group_translate_ranks(from, static_cast<int>(ranks.size()), ranks.data(), to, result.data()));
    return result;
}

} // namespace ortho::mpi
