// SPDX-License-Identifier: BSD-3-Clause
// Non-blocking and persistent neighborhood collectives: one request of MPI's each.
#pragma once

#include <mpi.h>

#include <memory>
#include <utility>
#include <vector>

#include "pmpi/exchange.hpp"
#include "pmpi/replace.hpp"
#include "pmpi/under_way.hpp"

namespace ortho::pmpi {

/// Where MPI's own call is right.
inline bool mpi_exchanges(const Neighbors& neighbors) { return !neighbors.repeated && !neighbors.gaps; }
/// All blocks of a process are one: repeated neighbors are nothing that MPI could confuse.
inline bool mpi_gathers(const Neighbors& neighbors) { return !neighbors.gaps; }

struct Nonblocking {
    int operator()(const Exchange& exchange, MPI_Comm comm, MPI_Request* request) const
    {
        return exchange.start(comm, request);
    }
};

#if MPI_VERSION >= 4
struct Persistent {
    MPI_Info info;
    int operator()(const Exchange& exchange, MPI_Comm comm, MPI_Request* request) const
    {
        return exchange.prepare(comm, info, request);
    }
};
#endif

/// Post the exchange of the blocks that `describe(neighbors)` says.
template <class Form, class Describe>
int post(Counter& counter, MPI_Comm comm, Carried& carried, Form form, MPI_Request* request, Describe describe)
{
    const Counter::Timing timing(counter);
    auto exchange = carried.exchanges.find_or_make(comm, *carried.neighbors, describe(*carried.neighbors));
    const int code = form(*exchange, comm, request);
    if (code == MPI_SUCCESS) keep_under_way(*request, std::move(exchange));
    return code;
}

/// A call that is an exchange with the neighbors, or `mpis()` where that is right.
template <class Form, class Describe, class Mpis>
int post_or_leave(Counter& counter, MPI_Comm comm, bool (*is_right)(const Neighbors&), Form form,
                  MPI_Request* request, Describe describe, Mpis mpis) noexcept
{
    if (mode() == Mode::off) return mpis();
    return guarded(counter.function(), comm, [&] {
        Carried* const carried = carried_by(comm);
        if (carried == nullptr) return mpis();
        if (!is_right(*carried->neighbors)) return post(counter, comm, *carried, form, request, describe);
        counter.leave();
        return mpis();
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
        return Blocks{same(sendbuf, neighbors.targets.size(), sendcount, sendtype, send_names),
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
        return Blocks{varying(sendbuf, neighbors.targets.size(), sendcounts, sdispls, sendtype, send_names),
                      varying(recvbuf, neighbors.sources.size(), recvcounts, rdispls, recvtype, receive_names)};
    };
}

/// Displacements of either kind.
template <class Displacement>
auto alltoallw(const void* sendbuf, const int* sendcounts, const Displacement* sdispls, const MPI_Datatype* sendtypes,
               void* recvbuf, const int* recvcounts, const Displacement* rdispls, const MPI_Datatype* recvtypes)
{
    return [=](const Neighbors& neighbors) {
        return Blocks{typed(sendbuf, neighbors.targets.size(), sendcounts, sdispls, sendtypes, send_names),
                      typed(recvbuf, neighbors.sources.size(), recvcounts, rdispls, recvtypes, receive_names)};
    };
}

} // namespace ortho::pmpi
