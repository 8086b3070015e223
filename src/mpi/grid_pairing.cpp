// SPDX-License-Identifier: BSD-3-Clause
// Whether the MPI's MPI_Neighbor_alltoall is right where both neighbors in a dimension are one process.

#include <mpi.h>

#include "mpi/comm.hpp"
#include "mpi/failure.hpp"
#include "mpi/interposer.hpp"

namespace {

/// What goes to -1 is to arrive from +1 (MPI-4.1 §8.6).  Not every call of every MPI does that
/// (doc/mpi-bugs.md, no. 1): a process that is its own two neighbors sees it.
bool alltoall_pairs_well()
{
    using namespace ortho;
    constexpr int one = 1;
    MPI_Comm ring = MPI_COMM_NULL;
    mpi::check(PMPI_Cart_create(mpi::self_channel(), 1, &one, &one, 0, &ring));
    const mpi::Comm owned(ring);
    const int sent[] = {1, 2}; // to -1, to +1
    int received[] = {0, 0};   // from -1, from +1
    mpi::check(PMPI_Neighbor_alltoall(sent, 1, MPI_INT, received, 1, MPI_INT, ring));
    return received[0] == 2 && received[1] == 1;
}

} // namespace

extern "C" int ortho_mpi_pairs_on_grids()
{
    try {
        static const bool does = alltoall_pairs_well();
        return does ? 1 : 0;
    } catch (...) {
        return 0;
    }
}
