// SPDX-License-Identifier: BSD-3-Clause
// Collectives of our own making on our own behalf: MPI's non-blocking ones, waited for our way.
#pragma once

#include <mpi.h>

#include <span>

#include "mpi/comm.hpp"
#include "mpi/wait.hpp"

namespace ortho::mpi {

/// The element-wise maximum over all processes, everywhere.
inline void maximize(MPI_Comm comm, std::span<int> numbers)
{
    MPI_Request request = MPI_REQUEST_NULL;
    check_users(PMPI_Iallreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()), MPI_INT,
                                MPI_MAX, comm, &request));
    wait(request);
}
inline void maximize(MPI_Comm comm, std::span<long long> numbers)
{
    MPI_Request request = MPI_REQUEST_NULL;
    check_users(PMPI_Iallreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()),
                                MPI_LONG_LONG, MPI_MAX, comm, &request));
    wait(request);
}

/// Wait until all processes are here.  For the way into calls of MPI's that block: from then on nobody
/// waits for anything but the other processes in the same call.  Until then, what others wait for
/// goes on here.  Not on inter-communicators, where Open MPI 4's MPI_Ibarrier may let some go and never
/// the others.
inline void meet(MPI_Comm comm)
{
    if (is_inter(comm)) return;
    MPI_Request request = MPI_REQUEST_NULL;
    check_users(PMPI_Ibarrier(comm, &request));
    wait(request);
}

/// Rank 0's bytes, everywhere.
inline void broadcast(MPI_Comm comm, void* data, int bytes)
{
    MPI_Request request = MPI_REQUEST_NULL;
    check_users(PMPI_Ibcast(data, bytes, MPI_BYTE, 0, comm, &request));
    wait(request);
}

} // namespace ortho::mpi
