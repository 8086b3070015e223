// SPDX-License-Identifier: BSD-3-Clause
// MPI's non-blocking and persistent neighborhood collectives.

#include "pmpi/ineighbor.hpp"

using namespace ortho;

extern "C" {

int MPI_Ineighbor_allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                            MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request)
{
    static pmpi::Counter counter("MPI_Ineighbor_allgather");
    return pmpi::post_or_leave(counter, comm, pmpi::mpi_gathers, pmpi::Nonblocking{}, request,
                               pmpi::allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype), [&] {
                                   return PMPI_Ineighbor_allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount,
                                                                   recvtype, comm, request);
                               });
}

int MPI_Ineighbor_allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                             const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
                             MPI_Request* request)
{
    static pmpi::Counter counter("MPI_Ineighbor_allgatherv");
    return pmpi::post_or_leave(counter, comm, pmpi::mpi_gathers, pmpi::Nonblocking{}, request,
                               pmpi::allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype),
                               [&] {
                                   return PMPI_Ineighbor_allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts,
                                                                    displs, recvtype, comm, request);
                               });
}

int MPI_Ineighbor_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                           MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request)
{
    static pmpi::Counter counter("MPI_Ineighbor_alltoall");
    return pmpi::post_or_leave(counter, comm, pmpi::mpi_exchanges, pmpi::Nonblocking{}, request,
                               pmpi::alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype), [&] {
                                   return PMPI_Ineighbor_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount,
                                                                  recvtype, comm, request);
                               });
}

int MPI_Ineighbor_alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                            void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
                            MPI_Comm comm, MPI_Request* request)
{
    static pmpi::Counter counter("MPI_Ineighbor_alltoallv");
    return pmpi::post_or_leave(
        counter, comm, pmpi::mpi_exchanges, pmpi::Nonblocking{}, request,
        pmpi::alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype), [&] {
            return PMPI_Ineighbor_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                                            recvtype, comm, request);
        });
}

int MPI_Ineighbor_alltoallw(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                            const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                            const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                            MPI_Request* request)
{
    static pmpi::Counter counter("MPI_Ineighbor_alltoallw");
    return pmpi::post_or_leave(
        counter, comm, pmpi::mpi_exchanges, pmpi::Nonblocking{}, request,
        pmpi::alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes), [&] {
            return PMPI_Ineighbor_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                                            recvtypes, comm, request);
        });
}

#if MPI_VERSION >= 4

int MPI_Neighbor_allgather_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                MPI_Request* request)
{
    static pmpi::Counter counter("MPI_Neighbor_allgather_init");
    return pmpi::post_or_leave(counter, comm, pmpi::mpi_gathers, pmpi::Persistent{info}, request,
                               pmpi::allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype), [&] {
                                   return PMPI_Neighbor_allgather_init(sendbuf, sendcount, sendtype, recvbuf,
                                                                       recvcount, recvtype, comm, info, request);
                               });
}

int MPI_Neighbor_allgatherv_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                 const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
                                 MPI_Info info, MPI_Request* request)
{
    static pmpi::Counter counter("MPI_Neighbor_allgatherv_init");
    return pmpi::post_or_leave(
        counter, comm, pmpi::mpi_gathers, pmpi::Persistent{info}, request,
        pmpi::allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype), [&] {
            return PMPI_Neighbor_allgatherv_init(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,
                                                 comm, info, request);
        });
}

int MPI_Neighbor_alltoall_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                               int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                               MPI_Request* request)
{
    static pmpi::Counter counter("MPI_Neighbor_alltoall_init");
    return pmpi::post_or_leave(counter, comm, pmpi::mpi_exchanges, pmpi::Persistent{info}, request,
                               pmpi::alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype), [&] {
                                   return PMPI_Neighbor_alltoall_init(sendbuf, sendcount, sendtype, recvbuf,
                                                                      recvcount, recvtype, comm, info, request);
                               });
}

int MPI_Neighbor_alltoallv_init(const void* sendbuf, const int sendcounts[], const int sdispls[],
                                MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[],
                                MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request* request)
{
    static pmpi::Counter counter("MPI_Neighbor_alltoallv_init");
    return pmpi::post_or_leave(
        counter, comm, pmpi::mpi_exchanges, pmpi::Persistent{info}, request,
        pmpi::alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype), [&] {
            return PMPI_Neighbor_alltoallv_init(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                                                recvtype, comm, info, request);
        });
}

int MPI_Neighbor_alltoallw_init(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                                const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                                const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                                MPI_Info info, MPI_Request* request)
{
    static pmpi::Counter counter("MPI_Neighbor_alltoallw_init");
    return pmpi::post_or_leave(
        counter, comm, pmpi::mpi_exchanges, pmpi::Persistent{info}, request,
        pmpi::alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes), [&] {
            return PMPI_Neighbor_alltoallw_init(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                                                recvtypes, comm, info, request);
        });
}

#endif

} // extern "C"
