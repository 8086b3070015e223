// SPDX-License-Identifier: BSD-3-Clause
// MPI's blocking neighborhood collectives.

#include <mpi.h>

#include "mpiortho.h"
#include "pmpi/edge_order.hpp"
#include "pmpi/replace.hpp"

using namespace ortho;
using pmpi::InEdgeOrder;
using pmpi::Neighbors;

extern "C" {

int MPI_Neighbor_allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                           int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    static pmpi::Counter counter("MPI_Neighbor_allgather");
    return pmpi::replace(
        counter, comm,
        [&](const Neighbors&, MPI_Comm graph) {
            return ORTHO_Allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, graph);
        },
        [&] {
            return PMPI_Neighbor_allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
        });
}

int MPI_Neighbor_allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                            const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm)
{
    static pmpi::Counter counter("MPI_Neighbor_allgatherv");
    return pmpi::replace(
        counter, comm,
        [&](const Neighbors&, MPI_Comm graph) {
            return ORTHO_Allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,
                                    graph);
        },
        [&] {
            return PMPI_Neighbor_allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs,
                                            recvtype, comm);
        });
}

int MPI_Neighbor_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                          int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    static pmpi::Counter counter("MPI_Neighbor_alltoall");
    return pmpi::replace(
        counter, comm,
        [&](const Neighbors& neighbors, MPI_Comm graph) {
            return pmpi::alltoall_in_edge_order(
                neighbors, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype,
                [&](auto... arguments) { return ORTHO_Alltoall(arguments..., graph); },
                [&](auto... arguments) { return ORTHO_Alltoallw(arguments..., graph); });
        },
        [&] {
            return PMPI_Neighbor_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
        });
}

int MPI_Neighbor_alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                           MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[],
                           MPI_Datatype recvtype, MPI_Comm comm)
{
    static pmpi::Counter counter("MPI_Neighbor_alltoallv");
    return pmpi::replace(
        counter, comm,
        [&](const Neighbors& neighbors, MPI_Comm graph) {
            return ORTHO_Alltoallv(sendbuf, InEdgeOrder(sendcounts, neighbors).data(),
                                   InEdgeOrder(sdispls, neighbors).data(), sendtype, recvbuf, recvcounts,
                                   rdispls, recvtype, graph);
        },
        [&] {
            return PMPI_Neighbor_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts,
                                           rdispls, recvtype, comm);
        });
}

int MPI_Neighbor_alltoallw(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                           const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                           const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm)
{
    static pmpi::Counter counter("MPI_Neighbor_alltoallw");
    return pmpi::replace(
        counter, comm,
        [&](const Neighbors& neighbors, MPI_Comm graph) {
            return ORTHO_Alltoallw(
                sendbuf, InEdgeOrder(sendcounts, neighbors).data(), InEdgeOrder(sdispls, neighbors).data(),
                InEdgeOrder(sendtypes, neighbors).data(), recvbuf, recvcounts, rdispls, recvtypes, graph);
        },
        [&] {
            return PMPI_Neighbor_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts,
                                           rdispls, recvtypes, comm);
        });
}

} // extern "C"
