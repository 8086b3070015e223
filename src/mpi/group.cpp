// SPDX-License-Identifier: BSD-3-Clause
// Groups of processes.

#include "mpi/group.hpp"

#include <cstddef>
#include <numeric>

namespace ortho::mpi {

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
