// SPDX-License-Identifier: BSD-3-Clause
// MPI's persistent collectives, which ORTHO_PMPI=unify has mean the neighborhood on a communicator that
// carries a graph.

#include <mpi.h>

#ifdef ORTHO_MPI_PERSISTENT

#include "mpiortho.h"
#include "pmpi/unify.hpp"

using namespace ortho;
using pmpi::Counter;
using pmpi::Neighbors;

extern "C" {

int MPI_Barrier_init(MPI_Comm comm, MPI_Info info, MPI_Request* request)
{
    static Counter counter("MPI_Barrier_init");
    return pmpi::unify_begin(
        counter, comm, true, request,
        [&](const Neighbors&, ORTHO_Request* operation) { return ORTHO_Barrier_init(comm, info, operation); },
        [&] { return PMPI_Barrier_init(comm, info, request); });
}

int MPI_Bcast_init(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm, MPI_Info info,
                   MPI_Request* request)
{
    static Counter counter("MPI_Bcast_init");
    return pmpi::unify_begin(
        counter, comm, true, request,
        [&](const Neighbors&, ORTHO_Request* operation) {
            return ORTHO_Bcast_init(buffer, count, datatype, root, comm, info, operation);
        },
        [&] { return PMPI_Bcast_init(buffer, count, datatype, root, comm, info, request); });
}

int MPI_Gather_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                    MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request* request)
{
    static Counter counter("MPI_Gather_init");
    return pmpi::unify_begin(
        counter, comm, true, request,
        [&](const Neighbors&, ORTHO_Request* operation) {
            return ORTHO_Gather_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm,
                                     info, operation);
        },
        [&] {
            return PMPI_Gather_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm,
                                    info, request);
        });
}

int MPI_Gatherv_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                     const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
                     MPI_Comm comm, MPI_Info info, MPI_Request* request)
{
    static Counter counter("MPI_Gatherv_init");
    return pmpi::unify_begin(
        counter, comm, true, request,
        [&](const Neighbors&, ORTHO_Request* operation) {
            return ORTHO_Gatherv_init(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,
                                      root, comm, info, operation);
        },
        [&] {
            return PMPI_Gatherv_init(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,
                                     root, comm, info, request);
        });
}

int MPI_Scatter_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                     MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request* request)
{
    static Counter counter("MPI_Scatter_init");
    return pmpi::unify_begin(
        counter, comm, true, request,
        [&](const Neighbors&, ORTHO_Request* operation) {
            return ORTHO_Scatter_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm,
                                      info, operation);
        },
        [&] {
            return PMPI_Scatter_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm,
                                     info, request);
        });
}

int MPI_Scatterv_init(const void* sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype,
                      void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                      MPI_Info info, MPI_Request* request)
{
    static Counter counter("MPI_Scatterv_init");
    return pmpi::unify_begin(
        counter, comm, true, request,
        [&](const Neighbors&, ORTHO_Request* operation) {
            return ORTHO_Scatterv_init(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype,
                                       root, comm, info, operation);
        },
        [&] {
            return PMPI_Scatterv_init(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype,
                                      root, comm, info, request);
        });
}

int MPI_Allgather_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                       int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                       MPI_Request* request)
{
    static Counter counter("MPI_Allgather_init");
    return pmpi::unify_begin(
        counter, comm, true, request,
        [&](const Neighbors&, ORTHO_Request* operation) {
            return ORTHO_Allgather_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
                                        info, operation);
        },
        [&] {
            return PMPI_Allgather_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info,
                                       request);
        });
}

int MPI_Allgatherv_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                        const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
                        MPI_Info info, MPI_Request* request)
{
    static Counter counter("MPI_Allgatherv_init");
    return pmpi::unify_begin(
        counter, comm, true, request,
        [&](const Neighbors&, ORTHO_Request* operation) {
            return ORTHO_Allgatherv_init(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,
                                         comm, info, operation);
        },
        [&] {
            return PMPI_Allgatherv_init(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,
                                        comm, info, request);
        });
}

int MPI_Alltoall_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                      MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request* request)
{
    static Counter counter("MPI_Alltoall_init");
    return pmpi::unify_begin(
        counter, comm, true, request,
        [&](const Neighbors&, ORTHO_Request* operation) {
            return ORTHO_Alltoall_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info,
                                       operation);
        },
        [&] {
            return PMPI_Alltoall_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info,
                                      request);
        });
}

int MPI_Alltoallv_init(const void* sendbuf, const int sendcounts[], const int sdispls[],
                       MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[],
                       MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request* request)
{
    static Counter counter("MPI_Alltoallv_init");
    return pmpi::unify_begin(
        counter, comm, true, request,
        [&](const Neighbors&, ORTHO_Request* operation) {
            return ORTHO_Alltoallv_init(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                                        recvtype, comm, info, operation);
        },
        [&] {
            return PMPI_Alltoallv_init(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                                       recvtype, comm, info, request);
        });
}

int MPI_Alltoallw_init(const void* sendbuf, const int sendcounts[], const int sdispls[],
                       const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                       const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info,
                       MPI_Request* request)
{
    static Counter counter("MPI_Alltoallw_init");
    return pmpi::unify_begin(
        counter, comm, true, request,
        [&](const Neighbors& neighbors, ORTHO_Request* operation) {
            const auto sends = pmpi::widened(sdispls, pmpi::sent(sendbuf, neighbors));
            const auto receives = pmpi::widened(rdispls, neighbors.sources.size());
            return ORTHO_Alltoallw_init(sendbuf, sendcounts, sends.data(), sendtypes, recvbuf, recvcounts,
                                        receives.data(), recvtypes, comm, info, operation);
        },
        [&] {
            return PMPI_Alltoallw_init(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                                       recvtypes, comm, info, request);
        });
}

int MPI_Reduce_init(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root,
                    MPI_Comm comm, MPI_Info info, MPI_Request* request)
{
    static Counter counter("MPI_Reduce_init");
    return pmpi::unify_begin(
        counter, comm, true, request,
        [&](const Neighbors&, ORTHO_Request* operation) {
            return ORTHO_Reduce_init(sendbuf, recvbuf, count, datatype, op, root, comm, info, operation);
        },
        [&] { return PMPI_Reduce_init(sendbuf, recvbuf, count, datatype, op, root, comm, info, request); });
}

int MPI_Allreduce_init(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                       MPI_Comm comm, MPI_Info info, MPI_Request* request)
{
    static Counter counter("MPI_Allreduce_init");
    return pmpi::unify_begin(
        counter, comm, true, request,
        [&](const Neighbors&, ORTHO_Request* operation) {
            return ORTHO_Allreduce_init(sendbuf, recvbuf, count, datatype, op, comm, info, operation);
        },
        [&] { return PMPI_Allreduce_init(sendbuf, recvbuf, count, datatype, op, comm, info, request); });
}

int MPI_Reduce_scatter_block_init(const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype datatype,
                                  MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request)
{
    static Counter counter("MPI_Reduce_scatter_block_init");
    return pmpi::unify_begin(
        counter, comm, true, request,
        [&](const Neighbors&, ORTHO_Request* operation) {
            return ORTHO_Reduce_scatter_block_init(sendbuf, recvbuf, recvcount, datatype, op, comm, info,
                                                   operation);
        },
        [&] {
            return PMPI_Reduce_scatter_block_init(sendbuf, recvbuf, recvcount, datatype, op, comm, info,
                                                  request);
        });
}

int MPI_Reduce_scatter_init(const void* sendbuf, void* recvbuf, const int recvcounts[], MPI_Datatype datatype,
                            MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request)
{
    static Counter counter("MPI_Reduce_scatter_init");
    return pmpi::unify_begin(
        counter, comm, true, request,
        [&](const Neighbors&, ORTHO_Request* operation) {
            return ORTHO_Reduce_scatter_init(sendbuf, recvbuf, recvcounts, datatype, op, comm, info,
                                             operation);
        },
        [&] {
            return PMPI_Reduce_scatter_init(sendbuf, recvbuf, recvcounts, datatype, op, comm, info, request);
        });
}

int MPI_Scan_init(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                  MPI_Comm comm, MPI_Info info, MPI_Request* request)
{
    static Counter counter("MPI_Scan_init");
    return pmpi::unify_begin(
        counter, comm, true, request,
        [&](const Neighbors&, ORTHO_Request* operation) {
            return ORTHO_Scan_init(sendbuf, recvbuf, count, datatype, op, comm, info, operation);
        },
        [&] { return PMPI_Scan_init(sendbuf, recvbuf, count, datatype, op, comm, info, request); });
}

int MPI_Exscan_init(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                    MPI_Comm comm, MPI_Info info, MPI_Request* request)
{
    static Counter counter("MPI_Exscan_init");
    return pmpi::unify_begin(
        counter, comm, true, request,
        [&](const Neighbors&, ORTHO_Request* operation) {
            return ORTHO_Exscan_init(sendbuf, recvbuf, count, datatype, op, comm, info, operation);
        },
        [&] { return PMPI_Exscan_init(sendbuf, recvbuf, count, datatype, op, comm, info, request); });
}

} // extern "C"

#endif
