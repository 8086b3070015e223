// SPDX-License-Identifier: BSD-3-Clause
// Collectives for the library itself: MPI's non-blocking ones, with our way to wait.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

#include "mpi/comm.hpp"
#include "mpi/public_call.hpp"
#include "runtime/wait.hpp"

namespace ortho::runtime {

/// `maximize` replaces each number by the largest one of any process, as it does for its caller.  Collective;
/// each process has its rank.  The reduction has room for numbers that say which function the process has
/// called.  So two collective calls that meet by mistake are an error on all processes (mismatch), and not
/// numbers of one that the other takes for its own.
void maximize_in_one_call(std::span<long long> numbers, int rank,
                          const std::function<void(std::span<long long>)>& maximize);

/// The element-wise reduction over all processes, everywhere.
template <class T>
void reduce_all(MPI_Comm comm, std::span<T> elements, MPI_Datatype type, MPI_Op op)
{
    MPI_Request request = MPI_REQUEST_NULL;
    mpi::check_users(PMPI_Iallreduce(MPI_IN_PLACE, elements.data(), static_cast<int>(elements.size()), type,
                                     op, comm, &request));
    wait(request, comm);
}

inline void maximize(MPI_Comm comm, std::span<long long> numbers)
{
    maximize_in_one_call(numbers, mpi::rank_of(comm),
                         [comm](std::span<long long> row) { reduce_all(comm, row, MPI_LONG_LONG, MPI_MAX); });
    mpi::PublicCall::meet();
}

inline void add(MPI_Comm comm, std::span<long long> numbers)
{
    reduce_all(comm, numbers, MPI_LONG_LONG, MPI_SUM);
}

/// Waits until all processes are here, before a call of MPI that blocks.  In that call each process waits
/// only for the others in it; before it, operations that others wait for go on here.  Nothing on
/// inter-communicators, where MPI_Ibarrier of Open MPI 4 may never end.  This is a reduction, since
/// MPI_Ibarrier connects more processes (see gather_all).
inline void nonblocking_barrier(MPI_Comm comm)
{
    if (mpi::is_inter(comm)) return;
    long long nothing[] = {0};
    maximize(comm, nothing);
}

/// For each process where its part of something begins that all have together, and behind these the end of
/// all.  `mine`: the length of this process's part.
inline std::vector<long long> begins_of_all(MPI_Comm comm, long long mine)
{
    std::vector<long long> result(static_cast<std::size_t>(mpi::size_of(comm)) + 1, 0);
    result[static_cast<std::size_t>(mpi::rank_of(comm)) + 1] = mine;
    maximize(comm, result);
    std::partial_sum(result.begin(), result.end(), result.begin());
    return result;
}

/// The lists of all processes, one after the other, on all processes.  T is plain data.  The lists travel in
/// a reduction, along trees or rings; each process sets only its own bits.  MPI_Iallgather may have each
/// process send to each other one, and every connection slows an MPI down as long as it exists (Open MPI's
/// TCP polls them all).
template <class T>
std::vector<T> gather_all(MPI_Comm comm, const std::vector<T>& mine)
{
    const std::vector<long long> begins = begins_of_all(comm, std::ssize(mine));
    const auto before = static_cast<std::size_t>(begins[static_cast<std::size_t>(mpi::rank_of(comm))]);
    std::vector<T> all(static_cast<std::size_t>(begins.back()));
    std::vector<std::byte> bits(all.size() * sizeof(T), std::byte{0});
    std::ranges::copy(std::as_bytes(std::span(mine)), bits.data() + before * sizeof(T));
    reduce_all(comm, std::span(bits), MPI_BYTE, MPI_BOR);
    std::ranges::copy(bits, std::as_writable_bytes(std::span(all)).data());
    return all;
}

/// Gives the root's bytes to all processes.
inline void broadcast(MPI_Comm comm, void* data, int bytes, int root = 0)
{
    MPI_Request request = MPI_REQUEST_NULL;
    mpi::check_users(PMPI_Ibcast(data, bytes, MPI_BYTE, root, comm, &request));
    wait(request, comm);
}

/// Have all processes entered the current public call?  If so, none waits elsewhere for another one.
enum class HaveMet : std::uint8_t { no, yes };
/// A communicator of the same processes without topology, attributes or info.  Collective.
mpi::Comm bare_copy(MPI_Comm comm, HaveMet have_met = HaveMet::no);

} // namespace ortho::runtime
