// SPDX-License-Identifier: BSD-3-Clause
// Collectives of our own making on our own behalf: MPI's non-blocking ones, waited for our way.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

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
    check_users(PMPI_Iallreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()), MPI_LONG_LONG,
                                MPI_MAX, comm, &request));
    wait(request);
}

/// The element-wise sum over all processes, everywhere.
inline void add(MPI_Comm comm, std::span<long long> numbers)
{
    MPI_Request request = MPI_REQUEST_NULL;
    check_users(PMPI_Iallreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()), MPI_LONG_LONG,
                                MPI_SUM, comm, &request));
    wait(request);
}

/// Wait until all processes are here.  For the way into calls of MPI's that block: from then on nobody
/// waits for anything but the other processes in the same call.  Until then, what others wait for
/// goes on here.  Not on inter-communicators, where Open MPI 4's MPI_Ibarrier may let some go and never
/// the others.
inline void nonblocking_barrier(MPI_Comm comm)
{
    if (is_inter(comm)) return;
    MPI_Request request = MPI_REQUEST_NULL;
    check_users(PMPI_Ibarrier(comm, &request));
    wait(request);
}

/// The lists of all processes, one after the other, everywhere.  T: plain data.
template <class T>
std::vector<T> gather_all(MPI_Comm comm, const std::vector<T>& mine)
{
    std::vector<int> bytes(static_cast<std::size_t>(size_of(comm)));
    const int my_bytes = static_cast<int>(mine.size() * sizeof(T));
    MPI_Request request = MPI_REQUEST_NULL;
    check_users(PMPI_Iallgather(&my_bytes, 1, MPI_INT, bytes.data(), 1, MPI_INT, comm, &request));
    wait(request);
    std::vector<int> places(bytes.size(), 0);
    std::exclusive_scan(bytes.begin(), bytes.end(), places.begin(), 0);
    std::vector<T> all(static_cast<std::size_t>(places.back() + bytes.back()) / sizeof(T));
    check_users(PMPI_Iallgatherv(mine.data(), my_bytes, MPI_BYTE, all.data(), bytes.data(), places.data(),
                                 MPI_BYTE, comm, &request));
    wait(request);
    return all;
}

/// Rank 0's bytes, everywhere.
inline void broadcast(MPI_Comm comm, void* data, int bytes)
{
    MPI_Request request = MPI_REQUEST_NULL;
    check_users(PMPI_Ibcast(data, bytes, MPI_BYTE, 0, comm, &request));
    wait(request);
}

} // namespace ortho::mpi
