// SPDX-License-Identifier: BSD-3-Clause
// Collectives of our own making on our own behalf: MPI's non-blocking ones, waited for our way.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

#include "mpi/comm.hpp"
#include "mpi/public_call.hpp"
#include "runtime/wait.hpp"

namespace ortho::runtime {

/// The element-wise maximum over all processes, everywhere.
inline void maximize(MPI_Comm comm, std::span<long long> numbers)
{
    MPI_Request request = MPI_REQUEST_NULL;
    mpi::check_users(PMPI_Iallreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()),
                                     MPI_LONG_LONG, MPI_MAX, comm, &request));
    wait(request, comm);
    mpi::PublicCall::meet();
}

/// The element-wise sum over all processes, everywhere.
inline void add(MPI_Comm comm, std::span<long long> numbers)
{
    MPI_Request request = MPI_REQUEST_NULL;
    mpi::check_users(PMPI_Iallreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()),
                                     MPI_LONG_LONG, MPI_SUM, comm, &request));
    wait(request, comm);
}

/// Wait until all processes are here.  For the way into calls of MPI's that block: from then on nobody
/// waits for anything but the other processes in the same call.  Until then, what others wait for
/// goes on here.  Not on inter-communicators, where Open MPI 4's non-blocking barrier may let some go and
/// never the others.  A reduction, for the reason of gather_all: MPI_Ibarrier speaks to more processes.
inline void nonblocking_barrier(MPI_Comm comm)
{
    if (mpi::is_inter(comm)) return;
    long long nothing[] = {0};
    maximize(comm, nothing);
}

/// The lists of all processes, one after the other, everywhere.  T: plain data.  As bits of which all others
/// have none: MPI_Iallgather may have each process send to each, and a connection slows an MPI down as long
/// as it is there (Open MPI's TCP polls each of them), while reductions go along trees or rings.
template <class T>
std::vector<T> gather_all(MPI_Comm comm, const std::vector<T>& mine)
{
    std::vector<long long> lengths(static_cast<std::size_t>(mpi::size_of(comm)), 0);
    const auto my_length = lengths.begin() + mpi::rank_of(comm);
    *my_length = std::ssize(mine);
    maximize(comm, lengths);
    const auto before = static_cast<std::size_t>(std::reduce(lengths.begin(), my_length));
    std::vector<T> all(static_cast<std::size_t>(std::reduce(lengths.begin(), lengths.end())));
    std::vector<std::byte> bits(all.size() * sizeof(T), std::byte{0});
    std::ranges::copy(std::as_bytes(std::span(mine)), bits.data() + before * sizeof(T));
    MPI_Request request = MPI_REQUEST_NULL;
    mpi::check_users(PMPI_Iallreduce(MPI_IN_PLACE, bits.data(), static_cast<int>(bits.size()), MPI_BYTE,
                                     MPI_BOR, comm, &request));
    wait(request, comm);
    std::ranges::copy(bits, std::as_writable_bytes(std::span(all)).data());
    return all;
}

/// The root's bytes, everywhere.
inline void broadcast(MPI_Comm comm, void* data, int bytes, int root = 0)
{
    MPI_Request request = MPI_REQUEST_NULL;
    mpi::check_users(PMPI_Ibcast(data, bytes, MPI_BYTE, root, comm, &request));
    wait(request, comm);
}

} // namespace ortho::runtime
