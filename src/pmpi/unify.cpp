// SPDX-License-Identifier: BSD-3-Clause
// MPI's blocking collectives, which ORTHO_PMPI=unify has mean the neighborhood on a communicator that carries
// a graph.

#include "pmpi/unify.hpp"
#include "mpiortho.h"

using namespace ortho;
using pmpi::Counter;
using pmpi::Neighbors;

extern "C" {

int MPI_Barrier(MPI_Comm comm)
{
    static Counter counter("MPI_Barrier");
    return pmpi::unify(
        counter, comm, [&](const Neighbors&) { return ORTHO_Barrier(comm); },
        [&] { return PMPI_Barrier(comm); });
}

int MPI_Bcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm)
{
    static Counter counter("MPI_Bcast");
    return pmpi::unify(
        counter, comm, [&](const Neighbors&) { return ORTHO_Bcast(buffer, count, datatype, root, comm); },
        [&] { return PMPI_Bcast(buffer, count, datatype, root, comm); });
}

int MPI_Gather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
               MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    static Counter counter("MPI_Gather");
    return pmpi::unify(
        counter, comm,
        [&](const Neighbors&) {
            return ORTHO_Gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
        },
        [&] { return PMPI_Gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm); });
}

int MPI_Gatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    static Counter counter("MPI_Gatherv");
    return pmpi::unify(
        counter, comm,
        [&](const Neighbors&) {
            return ORTHO_Gatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root,
                                 comm);
        },
        [&] {
            return PMPI_Gatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root,
                                comm);
        });
}

int MPI_Scatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    static Counter counter("MPI_Scatter");
    return pmpi::unify(
        counter, comm,
        [&](const Neighbors&) {
            return ORTHO_Scatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
        },
        [&] { return PMPI_Scatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm); });
}

int MPI_Scatterv(const void* sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype,
                 void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    static Counter counter("MPI_Scatterv");
    return pmpi::unify(
        counter, comm,
        [&](const Neighbors&) {
            return ORTHO_Scatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root,
                                  comm);
        },
        [&] {
            return PMPI_Scatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root,
                                 comm);
        });
}

int MPI_Allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                  MPI_Datatype recvtype, MPI_Comm comm)
{
    static Counter counter("MPI_Allgather");
    return pmpi::unify(
        counter, comm,
        [&](const Neighbors&) {
            return ORTHO_Allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
        },
        [&] { return PMPI_Allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm); });
}

int MPI_Allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                   const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm)
{
    static Counter counter("MPI_Allgatherv");
    return pmpi::unify(
        counter, comm,
        [&](const Neighbors&) {
            return ORTHO_Allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,
                                    comm);
        },
        [&] {
            return PMPI_Allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm);
        });
}

int MPI_Alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                 MPI_Datatype recvtype, MPI_Comm comm)
{
    static Counter counter("MPI_Alltoall");
    return pmpi::unify(
        counter, comm,
        [&](const Neighbors&) {
            return ORTHO_Alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
        },
        [&] { return PMPI_Alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm); });
}

int MPI_Alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                  void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
                  MPI_Comm comm)
{
    static Counter counter("MPI_Alltoallv");
    return pmpi::unify(
        counter, comm,
        [&](const Neighbors&) {
            return ORTHO_Alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                                   recvtype, comm);
        },
        [&] {
            return PMPI_Alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                                  recvtype, comm);
        });
}

int MPI_Alltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[],
                  const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[], const int rdispls[],
                  const MPI_Datatype recvtypes[], MPI_Comm comm)
{
    static Counter counter("MPI_Alltoallw");
    return pmpi::unify(
        counter, comm,
        [&](const Neighbors& neighbors) {
            const auto sends = pmpi::widened(sdispls, pmpi::sent(sendbuf, neighbors));
            const auto receives = pmpi::widened(rdispls, neighbors.sources.size());
            return ORTHO_Alltoallw(sendbuf, sendcounts, sends.data(), sendtypes, recvbuf, recvcounts,
                                   receives.data(), recvtypes, comm);
        },
        [&] {
            return PMPI_Alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                                  recvtypes, comm);
        });
}

int MPI_Reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root,
               MPI_Comm comm)
{
    static Counter counter("MPI_Reduce");
    return pmpi::unify(
        counter, comm,
        [&](const Neighbors&) { return ORTHO_Reduce(sendbuf, recvbuf, count, datatype, op, root, comm); },
        [&] { return PMPI_Reduce(sendbuf, recvbuf, count, datatype, op, root, comm); });
}

int MPI_Allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                  MPI_Comm comm)
{
    static Counter counter("MPI_Allreduce");
    return pmpi::unify(
        counter, comm,
        [&](const Neighbors&) { return ORTHO_Allreduce(sendbuf, recvbuf, count, datatype, op, comm); },
        [&] { return PMPI_Allreduce(sendbuf, recvbuf, count, datatype, op, comm); });
}

int MPI_Reduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype datatype,
                             MPI_Op op, MPI_Comm comm)
{
    static Counter counter("MPI_Reduce_scatter_block");
    return pmpi::unify(
        counter, comm,
        [&](const Neighbors&) {
            return ORTHO_Reduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op, comm);
        },
        [&] { return PMPI_Reduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op, comm); });
}

int MPI_Reduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[], MPI_Datatype datatype,
                       MPI_Op op, MPI_Comm comm)
{
    static Counter counter("MPI_Reduce_scatter");
    return pmpi::unify(
        counter, comm,
        [&](const Neighbors&) {
            return ORTHO_Reduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op, comm);
        },
        [&] { return PMPI_Reduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op, comm); });
}

int MPI_Scan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    static Counter counter("MPI_Scan");
    return pmpi::unify(
        counter, comm,
        [&](const Neighbors&) { return ORTHO_Scan(sendbuf, recvbuf, count, datatype, op, comm); },
        [&] { return PMPI_Scan(sendbuf, recvbuf, count, datatype, op, comm); });
}

int MPI_Exscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    static Counter counter("MPI_Exscan");
    return pmpi::unify(
        counter, comm,
        [&](const Neighbors&) { return ORTHO_Exscan(sendbuf, recvbuf, count, datatype, op, comm); },
        [&] { return PMPI_Exscan(sendbuf, recvbuf, count, datatype, op, comm); });
}

} // extern "C"
