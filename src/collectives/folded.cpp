// SPDX-License-Identifier: BSD-3-Clause
// Byte displacements of any size for MPI's calls, which take ints.

#include "collectives/folded.hpp"

#include <limits>

namespace ortho::collectives {

MPI_Datatype Folded::fold(int count, MPI_Aint displacement, MPI_Datatype type)
{
    MPI_Datatype made = MPI_DATATYPE_NULL;
    mpi::check_users(PMPI_Type_create_hindexed(1, &count, &displacement, type, &made));
    made_.emplace_back(made);
    mpi::check(PMPI_Type_commit(&made));
    return made;
}

void Folded::add(int count, MPI_Aint displacement, MPI_Datatype type)
{
    using Int = std::numeric_limits<int>;
    const bool fits = displacement >= Int::min() && displacement <= Int::max();
    if (!fits && count > 0) {
        type = fold(count, displacement, type);
        count = 1;
    }
    counts_.push_back(count);
    displacements_.push_back(fits ? static_cast<int>(displacement) : 0);
    types_.push_back(type);
}

int FoldedSides::run(MPI_Comm comm) const
{
    return PMPI_Alltoallw(sendbuf, send.counts(), send.displacements(), send.types(), recvbuf,
                          receive.counts(), receive.displacements(), receive.types(), comm);
}

int FoldedSides::post(MPI_Comm comm, MPI_Request* request) const
{
    return PMPI_Ialltoallw(sendbuf, send.counts(), send.displacements(), send.types(), recvbuf,
                           receive.counts(), receive.displacements(), receive.types(), comm, request);
}

} // namespace ortho::collectives
