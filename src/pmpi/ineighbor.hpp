// SPDX-License-Identifier: BSD-3-Clause
// Non-blocking neighborhood collectives: operations on the graph of the neighbors, if that is there.  A call
// that comes before the graph cannot make it, since it must not wait for others; such a call is one of MPI's.
#pragma once

#include <mpi.h>

#include <utility>

#include "pmpi/exchange.hpp"
#include "pmpi/standing.hpp"
#include "pmpi/under_way.hpp"

namespace ortho::pmpi {

/// Where MPI's own call is right.
inline bool mpi_exchanges(const Neighbors& neighbors) { return !neighbors.repeated && !neighbors.gaps; }
/// All blocks of a process are one: repeated neighbors are nothing that MPI could confuse.
inline bool mpi_gathers(const Neighbors& neighbors) { return !neighbors.gaps; }

/// Is MPI's own call made, of an alltoall?
inline bool leaves_exchange(const Carried* carried, MPI_Comm comm)
{
    return carried == nullptr ||
           (graph_if_made(*carried, comm) == MPI_COMM_NULL && mpi_exchanges(*carried->neighbors));
}

/// `ours(neighbors, graph, &operation)` on a communicator that carries a topology; without a graph, `mpis()`
/// where that is right, or the exchange of the blocks that `describe(neighbors)` says.
template <class Ours, class Describe, class Mpis>
int begin_or_post(Counter& counter, MPI_Comm comm, MPI_Request* request, Ours ours,
                  bool (*is_right)(const Neighbors&), Describe describe, Mpis mpis) noexcept
{
    if (mode() == Mode::off) return mpis();
    return guarded(counter.function(), comm, [&] {
        Carried* const carried = exchanged_on(comm);
        if (carried == nullptr) return mpis();
        MPI_Comm const graph = graph_if_made(*carried, comm);
        if (graph != MPI_COMM_NULL) return begin(counter, comm, *carried, graph, false, request, ours);
        const Neighbors& neighbors = *carried->neighbors;
        if (is_right(neighbors)) {
            counter.leave();
            return mpis();
        }
        const Counter::Timing timing(counter);
        auto exchange = carried->exchanges.find_or_make(comm, neighbors, describe(neighbors));
        const int code = exchange->start(comm, request);
        if (code == MPI_SUCCESS) keep_under_way(*request, std::move(exchange));
        return code;
    });
}

// What the calls exchange.

inline auto allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                      MPI_Datatype recvtype)
{
    return [=](const Neighbors& neighbors) {
        return Blocks{same(sendbuf, neighbors.targets.size(), sendcount, sendtype, send_names),
                      regular(recvbuf, neighbors.sources.size(), recvcount, recvtype, receive_names)};
    };
}

inline auto allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                       const int* recvcounts, const int* displs, MPI_Datatype recvtype)
{
    return [=](const Neighbors& neighbors) {
        return Blocks{
            same(sendbuf, neighbors.targets.size(), sendcount, sendtype, send_names),
            varying(recvbuf, neighbors.sources.size(), recvcounts, displs, recvtype, receive_names)};
    };
}

inline auto alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                     MPI_Datatype recvtype)
{
    return [=](const Neighbors& neighbors) {
        return Blocks{regular(sendbuf, neighbors.targets.size(), sendcount, sendtype, send_names),
                      regular(recvbuf, neighbors.sources.size(), recvcount, recvtype, receive_names)};
    };
}

inline auto alltoallv(const void* sendbuf, const int* sendcounts, const int* sdispls, MPI_Datatype sendtype,
                      void* recvbuf, const int* recvcounts, const int* rdispls, MPI_Datatype recvtype)
{
    return [=](const Neighbors& neighbors) {
        return Blocks{
            varying(sendbuf, neighbors.targets.size(), sendcounts, sdispls, sendtype, send_names),
            varying(recvbuf, neighbors.sources.size(), recvcounts, rdispls, recvtype, receive_names)};
    };
}

inline auto alltoallw(const void* sendbuf, const int* sendcounts, const MPI_Aint* sdispls,
                      const MPI_Datatype* sendtypes, void* recvbuf, const int* recvcounts,
                      const MPI_Aint* rdispls, const MPI_Datatype* recvtypes)
{
    return [=](const Neighbors& neighbors) {
        return Blocks{
            typed(sendbuf, neighbors.targets.size(), sendcounts, sdispls, sendtypes, send_names),
            typed(recvbuf, neighbors.sources.size(), recvcounts, rdispls, recvtypes, receive_names)};
    };
}

} // namespace ortho::pmpi
