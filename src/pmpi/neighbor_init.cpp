// SPDX-License-Identifier: BSD-3-Clause
// MPI's persistent neighborhood collectives.

#include <mpi.h>

#ifdef ORTHO_MPI_PERSISTENT

#include "mpiortho.h"
#include "pmpi/edge_order.hpp"
#include "pmpi/standing.hpp"

using namespace ortho;
using pmpi::Counter;
using pmpi::InEdgeOrder;
using pmpi::Neighbors;

namespace {

/// `ours(neighbors, graph, &operation)` if the communicator carries a topology, else `mpis()`.  To make a
/// persistent operation may wait for the other processes.
template <class Ours, class Mpis>
int prepare(Counter& counter, MPI_Comm comm, MPI_Request* request, Ours ours, Mpis mpis) noexcept
{
    if (pmpi::mode() == pmpi::Mode::off) return mpis();
    return pmpi::guarded(counter.function(), comm, [&] {
        pmpi::Carried* const carried = pmpi::exchanged_on(comm);
        if (carried == nullptr) return mpis();
        MPI_Comm const graph = pmpi::graph_of(*carried, comm);
        if (graph == MPI_COMM_NULL) return MPI_ERR_OTHER;
        return pmpi::begin(counter, comm, *carried, graph, true, request, ours);
    });
}

} // namespace

extern "C" {

int MPI_Neighbor_allgather_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                MPI_Request* request)
{
    static Counter counter("MPI_Neighbor_allgather_init");
    return prepare(
        counter, comm, request,
        [&](const Neighbors&, MPI_Comm graph, ORTHO_Request* operation) {
            return ORTHO_Allgather_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, graph,
                                        info, operation);
        },
        [&] {
            return PMPI_Neighbor_allgather_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype,
                                                comm, info, request);
        });
}

int MPI_Neighbor_allgatherv_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                 const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                                 MPI_Comm comm, MPI_Info info, MPI_Request* request)
{
    static Counter counter("MPI_Neighbor_allgatherv_init");
    return prepare(
        counter, comm, request,
        [&](const Neighbors&, MPI_Comm graph, ORTHO_Request* operation) {
            return ORTHO_Allgatherv_init(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,
                                         graph, info, operation);
        },
        [&] {
            return PMPI_Neighbor_allgatherv_init(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs,
                                                 recvtype, comm, info, request);
        });
}

int MPI_Neighbor_alltoall_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                               int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                               MPI_Request* request)
{
    static Counter counter("MPI_Neighbor_alltoall_init");
    return prepare(
        counter, comm, request,
        [&](const Neighbors& neighbors, MPI_Comm graph, ORTHO_Request* operation) {
            return pmpi::alltoall_in_edge_order(
                neighbors, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype,
                [&](auto... arguments) { return ORTHO_Alltoall_init(arguments..., graph, info, operation); },
                [&](auto... arguments) {
                    return ORTHO_Alltoallw_init(arguments..., graph, info, operation);
                });
        },
        [&] {
            return PMPI_Neighbor_alltoall_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype,
                                               comm, info, request);
        });
}

int MPI_Neighbor_alltoallv_init(const void* sendbuf, const int sendcounts[], const int sdispls[],
                                MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                                const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                MPI_Request* request)
{
    static Counter counter("MPI_Neighbor_alltoallv_init");
    return prepare(
        counter, comm, request,
        [&](const Neighbors& neighbors, MPI_Comm graph, ORTHO_Request* operation) {
            return ORTHO_Alltoallv_init(sendbuf, InEdgeOrder(sendcounts, neighbors).data(),
                                        InEdgeOrder(sdispls, neighbors).data(), sendtype, recvbuf, recvcounts,
                                        rdispls, recvtype, graph, info, operation);
        },
        [&] {
            return PMPI_Neighbor_alltoallv_init(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts,
                                                rdispls, recvtype, comm, info, request);
        });
}

int MPI_Neighbor_alltoallw_init(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                                const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                                const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                                MPI_Info info, MPI_Request* request)
{
    static Counter counter("MPI_Neighbor_alltoallw_init");
    return prepare(
        counter, comm, request,
        [&](const Neighbors& neighbors, MPI_Comm graph, ORTHO_Request* operation) {
            return ORTHO_Alltoallw_init(sendbuf, InEdgeOrder(sendcounts, neighbors).data(),
                                        InEdgeOrder(sdispls, neighbors).data(),
                                        InEdgeOrder(sendtypes, neighbors).data(), recvbuf, recvcounts,
                                        rdispls, recvtypes, graph, info, operation);
        },
        [&] {
            return PMPI_Neighbor_alltoallw_init(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts,
                                                rdispls, recvtypes, comm, info, request);
        });
}

} // extern "C"

#endif
