// SPDX-License-Identifier: BSD-3-Clause
// MPI's non-blocking collectives, which ORTHO_PMPI=unify has mean the neighborhood on a communicator that
// carries a graph.

#include "mpiortho.h"
#include "pmpi/unify.hpp"

using namespace ortho;
using pmpi::Counter;
using pmpi::Neighbors;

extern "C" {

int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request)
{
    static Counter counter("MPI_Ibarrier");
    return pmpi::unify_begin(
        counter, comm, false, request,
        [&](const Neighbors&, ORTHO_Request* operation) { return ORTHO_Ibarrier(comm, operation); },
        [&] { return PMPI_Ibarrier(comm, request); });
}

int MPI_Ibcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm, MPI_Request* request)
{
    static Counter counter("MPI_Ibcast");
    return pmpi::unify_begin(
        counter, comm, false, request,
        [&](const Neighbors&, ORTHO_Request* operation) {
            return ORTHO_Ibcast(buffer, count, datatype, root, comm, operation);
        },
        [&] { return PMPI_Ibcast(buffer, count, datatype, root, comm, request); });
}

int MPI_Igather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request)
{
    static Counter counter("MPI_Igather");
    return pmpi::unify_begin(
        counter, comm, false, request,
        [&](const Neighbors&, ORTHO_Request* operation) {
            return ORTHO_Igather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm,
                                 operation);
        },
        [&] {
            return PMPI_Igather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm,
                                request);
        });
}

int MPI_Igatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                 const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm,
                 MPI_Request* request)
{
    static Counter counter("MPI_Igatherv");
    return pmpi::unify_begin(
        counter, comm, false, request,
        [&](const Neighbors&, ORTHO_Request* operation) {
            return ORTHO_Igatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root,
                                  comm, operation);
        },
        [&] {
            return PMPI_Igatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root,
                                 comm, request);
        });
}

int MPI_Iscatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                 MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request)
{
    static Counter counter("MPI_Iscatter");
    return pmpi::unify_begin(
        counter, comm, false, request,
        [&](const Neighbors&, ORTHO_Request* operation) {
            return ORTHO_Iscatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm,
                                  operation);
        },
        [&] {
            return PMPI_Iscatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm,
                                 request);
        });
}

int MPI_Iscatterv(const void* sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype,
                  void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                  MPI_Request* request)
{
    static Counter counter("MPI_Iscatterv");
    return pmpi::unify_begin(
        counter, comm, false, request,
        [&](const Neighbors&, ORTHO_Request* operation) {
            return ORTHO_Iscatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root,
                                   comm, operation);
        },
        [&] {
            return PMPI_Iscatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root,
                                  comm, request);
        });
}

int MPI_Iallgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                   MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request)
{
    static Counter counter("MPI_Iallgather");
    return pmpi::unify_begin(
        counter, comm, false, request,
        [&](const Neighbors&, ORTHO_Request* operation) {
            return ORTHO_Iallgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
                                    operation);
        },
        [&] {
            return PMPI_Iallgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request);
        });
}

int MPI_Iallgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                    const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
                    MPI_Request* request)
{
    static Counter counter("MPI_Iallgatherv");
    return pmpi::unify_begin(
        counter, comm, false, request,
        [&](const Neighbors&, ORTHO_Request* operation) {
            return ORTHO_Iallgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,
                                     comm, operation);
        },
        [&] {
            return PMPI_Iallgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm,
                                    request);
        });
}

int MPI_Ialltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                  MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request)
{
    static Counter counter("MPI_Ialltoall");
    return pmpi::unify_begin(
        counter, comm, false, request,
        [&](const Neighbors&, ORTHO_Request* operation) {
            return ORTHO_Ialltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
                                   operation);
        },
        [&] {
            return PMPI_Ialltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request);
        });
}

int MPI_Ialltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                   void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
                   MPI_Comm comm, MPI_Request* request)
{
    static Counter counter("MPI_Ialltoallv");
    return pmpi::unify_begin(
        counter, comm, false, request,
        [&](const Neighbors&, ORTHO_Request* operation) {
            return ORTHO_Ialltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                                    recvtype, comm, operation);
        },
        [&] {
            return PMPI_Ialltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                                   recvtype, comm, request);
        });
}

int MPI_Ialltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[],
                   const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[], const int rdispls[],
                   const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request* request)
{
    static Counter counter("MPI_Ialltoallw");
    return pmpi::unify_begin(
        counter, comm, false, request,
        [&](const Neighbors& neighbors, ORTHO_Request* operation) {
            const auto sends = pmpi::widened(sdispls, pmpi::sent(sendbuf, neighbors));
            const auto receives = pmpi::widened(rdispls, neighbors.sources.size());
            return ORTHO_Ialltoallw(sendbuf, sendcounts, sends.data(), sendtypes, recvbuf, recvcounts,
                                    receives.data(), recvtypes, comm, operation);
        },
        [&] {
            return PMPI_Ialltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                                   recvtypes, comm, request);
        });
}

int MPI_Ireduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root,
                MPI_Comm comm, MPI_Request* request)
{
    static Counter counter("MPI_Ireduce");
    return pmpi::unify_begin(
        counter, comm, false, request,
        [&](const Neighbors&, ORTHO_Request* operation) {
            return ORTHO_Ireduce(sendbuf, recvbuf, count, datatype, op, root, comm, operation);
        },
        [&] { return PMPI_Ireduce(sendbuf, recvbuf, count, datatype, op, root, comm, request); });
}

int MPI_Iallreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                   MPI_Comm comm, MPI_Request* request)
{
    static Counter counter("MPI_Iallreduce");
    return pmpi::unify_begin(
        counter, comm, false, request,
        [&](const Neighbors&, ORTHO_Request* operation) {
            return ORTHO_Iallreduce(sendbuf, recvbuf, count, datatype, op, comm, operation);
        },
        [&] { return PMPI_Iallreduce(sendbuf, recvbuf, count, datatype, op, comm, request); });
}

int MPI_Ireduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype datatype,
                              MPI_Op op, MPI_Comm comm, MPI_Request* request)
{
    static Counter counter("MPI_Ireduce_scatter_block");
    return pmpi::unify_begin(
        counter, comm, false, request,
        [&](const Neighbors&, ORTHO_Request* operation) {
            return ORTHO_Ireduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op, comm, operation);
        },
        [&] { return PMPI_Ireduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op, comm, request); });
}

int MPI_Ireduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[], MPI_Datatype datatype,
                        MPI_Op op, MPI_Comm comm, MPI_Request* request)
{
    static Counter counter("MPI_Ireduce_scatter");
    return pmpi::unify_begin(
        counter, comm, false, request,
        [&](const Neighbors&, ORTHO_Request* operation) {
            return ORTHO_Ireduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op, comm, operation);
        },
        [&] { return PMPI_Ireduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op, comm, request); });
}

int MPI_Iscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
              MPI_Request* request)
{
    static Counter counter("MPI_Iscan");
    return pmpi::unify_begin(
        counter, comm, false, request,
        [&](const Neighbors&, ORTHO_Request* operation) {
            return ORTHO_Iscan(sendbuf, recvbuf, count, datatype, op, comm, operation);
        },
        [&] { return PMPI_Iscan(sendbuf, recvbuf, count, datatype, op, comm, request); });
}

int MPI_Iexscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                MPI_Comm comm, MPI_Request* request)
{
    static Counter counter("MPI_Iexscan");
    return pmpi::unify_begin(
        counter, comm, false, request,
        [&](const Neighbors&, ORTHO_Request* operation) {
            return ORTHO_Iexscan(sendbuf, recvbuf, count, datatype, op, comm, operation);
        },
        [&] { return PMPI_Iexscan(sendbuf, recvbuf, count, datatype, op, comm, request); });
}

} // extern "C"
