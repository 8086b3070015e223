// SPDX-License-Identifier: BSD-3-Clause
// MPI's non-blocking neighborhood collectives.

#include "pmpi/ineighbor.hpp"

#include "mpiortho.h"
#include "pmpi/edge_order.hpp"

using namespace ortho;
using pmpi::InEdgeOrder;
using pmpi::Neighbors;

extern "C" {

int MPI_Ineighbor_allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                            int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request)
{
    static pmpi::Counter counter("MPI_Ineighbor_allgather");
    return pmpi::begin_or_post(
        counter, comm, request,
        [&](const Neighbors&, MPI_Comm graph, ORTHO_Request* operation) {
            return ORTHO_Iallgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, graph,
                                    operation);
        },
        pmpi::mpi_gathers, pmpi::allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype),
        [&] {
            return PMPI_Ineighbor_allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
                                            request);
        });
}

int MPI_Ineighbor_allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                             const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
                             MPI_Request* request)
{
    static pmpi::Counter counter("MPI_Ineighbor_allgatherv");
    return pmpi::begin_or_post(
        counter, comm, request,
        [&](const Neighbors&, MPI_Comm graph, ORTHO_Request* operation) {
            return ORTHO_Iallgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,
                                     graph, operation);
        },
        pmpi::mpi_gathers,
        pmpi::allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype),
        [&] {
            return PMPI_Ineighbor_allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs,
                                             recvtype, comm, request);
        });
}

int MPI_Ineighbor_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                           int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request)
{
    static pmpi::Counter counter("MPI_Ineighbor_alltoall");
    return pmpi::begin_or_post(
        counter, comm, request,
        [&](const Neighbors& neighbors, MPI_Comm graph, ORTHO_Request* operation) {
            return pmpi::alltoall_in_edge_order(
                neighbors, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype,
                [&](auto... arguments) { return ORTHO_Ialltoall(arguments..., graph, operation); },
                [&](auto... arguments) { return ORTHO_Ialltoallw(arguments..., graph, operation); });
        },
        pmpi::mpi_exchanges, pmpi::alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype),
        [&] {
            return PMPI_Ineighbor_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
                                           request);
        });
}

int MPI_Ineighbor_alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                            MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[],
                            MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request)
{
    static pmpi::Counter counter("MPI_Ineighbor_alltoallv");
    return pmpi::begin_or_post(
        counter, comm, request,
        [&](const Neighbors& neighbors, MPI_Comm graph, ORTHO_Request* operation) {
            return ORTHO_Ialltoallv(sendbuf, InEdgeOrder(sendcounts, neighbors).data(),
                                    InEdgeOrder(sdispls, neighbors).data(), sendtype, recvbuf, recvcounts,
                                    rdispls, recvtype, graph, operation);
        },
        pmpi::mpi_exchanges,
        pmpi::alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype),
        [&] {
            return PMPI_Ineighbor_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts,
                                            rdispls, recvtype, comm, request);
        });
}

int MPI_Ineighbor_alltoallw(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                            const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                            const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                            MPI_Request* request)
{
    static pmpi::Counter counter("MPI_Ineighbor_alltoallw");
    return pmpi::begin_or_post(
        counter, comm, request,
        [&](const Neighbors& neighbors, MPI_Comm graph, ORTHO_Request* operation) {
            return ORTHO_Ialltoallw(sendbuf, InEdgeOrder(sendcounts, neighbors).data(),
                                    InEdgeOrder(sdispls, neighbors).data(),
                                    InEdgeOrder(sendtypes, neighbors).data(), recvbuf, recvcounts, rdispls,
                                    recvtypes, graph, operation);
        },
        pmpi::mpi_exchanges,
        pmpi::alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes),
        [&] {
            return PMPI_Ineighbor_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts,
                                            rdispls, recvtypes, comm, request);
        });
}

} // extern "C"
