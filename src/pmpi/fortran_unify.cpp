// SPDX-License-Identifier: BSD-3-Clause
// Fortran collectives, which ORTHO_PMPI=unify has mean the neighborhood on a communicator that carries a
// graph.

#include <mpi.h>

#include "pmpi/fortran.hpp"
#include "pmpi/unify.hpp"

using namespace ortho;
using namespace ortho::pmpi::fortran;

#define ORTHO_UNIFY_FORTRAN(name, parameters, arguments)                                                     \
    static void name##_of(const pmpi::Neighbors& neighbors, ORTHO_LIST parameters);                          \
    ORTHO_FORTRAN(name, parameters, arguments)                                                               \
    {                                                                                                        \
        if (const pmpi::Carried* const graph = pmpi::graph_meant_by(comm_of(comm)))                          \
            name##_of(*graph->neighbors, ORTHO_LIST arguments);                                              \
        else                                                                                                 \
            mpis arguments;                                                                                  \
    }                                                                                                        \
    static void name##_of([[maybe_unused]] const pmpi::Neighbors& neighbors, ORTHO_LIST parameters)

// --- Without buffers ------------------------------------------------------------

ORTHO_UNIFY_FORTRAN(barrier, (Fint * comm, Fint* ierror), (comm, ierror))
{
    give(ierror, MPI_Barrier(comm_of(comm)));
}

ORTHO_UNIFY_FORTRAN(ibarrier, (Fint * comm, Fint* request, Fint* ierror), (comm, request, ierror))
{
    MPI_Request made = MPI_REQUEST_NULL;
    const int code = MPI_Ibarrier(comm_of(comm), &made);
    give_request(request, made, ierror, code);
}

#ifdef ORTHO_MPI_PERSISTENT
ORTHO_UNIFY_FORTRAN(barrier_init, (Fint * comm, Fint* info, Fint* request, Fint* ierror),
                    (comm, info, request, ierror))
{
    MPI_Request made = MPI_REQUEST_NULL;
    const int code = MPI_Barrier_init(comm_of(comm), PMPI_Info_f2c(*info), &made);
    give_request(request, made, ierror, code);
}
#endif

#ifdef OPEN_MPI

namespace {

MPI_Op op_of(const Fint* op) { return PMPI_Op_f2c(*op); }

} // namespace

// --- Blocking ----------------------------------------------------

ORTHO_UNIFY_FORTRAN(bcast, (void* buf, Fint* count, Fint* datatype, Fint* root, Fint* comm, Fint* ierror),
                    (buf, count, datatype, root, comm, ierror))
{
    give(ierror, MPI_Bcast(buffer(buf), *count, type_of(datatype), *root, comm_of(comm)));
}

ORTHO_UNIFY_FORTRAN(gather,
                    (void* sendbuf, Fint* sendcount, Fint* sendtype, void* recvbuf, Fint* recvcount,
                     Fint* recvtype, Fint* root, Fint* comm, Fint* ierror),
                    (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, ierror))
{
    give(ierror, MPI_Gather(buffer(sendbuf), *sendcount, type_of(sendtype), buffer(recvbuf), *recvcount,
                            type_of(recvtype), *root, comm_of(comm)));
}

ORTHO_UNIFY_FORTRAN(gatherv,
                    (void* sendbuf, Fint* sendcount, Fint* sendtype, void* recvbuf, Fint* recvcounts,
                     Fint* displs, Fint* recvtype, Fint* root, Fint* comm, Fint* ierror),
                    (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, ierror))
{
    give(ierror, MPI_Gatherv(buffer(sendbuf), *sendcount, type_of(sendtype), buffer(recvbuf), recvcounts,
                             displs, type_of(recvtype), *root, comm_of(comm)));
}

ORTHO_UNIFY_FORTRAN(scatter,
                    (void* sendbuf, Fint* sendcount, Fint* sendtype, void* recvbuf, Fint* recvcount,
                     Fint* recvtype, Fint* root, Fint* comm, Fint* ierror),
                    (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, ierror))
{
    give(ierror, MPI_Scatter(buffer(sendbuf), *sendcount, type_of(sendtype), buffer(recvbuf), *recvcount,
                             type_of(recvtype), *root, comm_of(comm)));
}

ORTHO_UNIFY_FORTRAN(scatterv,
                    (void* sendbuf, Fint* sendcounts, Fint* displs, Fint* sendtype, void* recvbuf,
                     Fint* recvcount, Fint* recvtype, Fint* root, Fint* comm, Fint* ierror),
                    (sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, ierror))
{
    give(ierror, MPI_Scatterv(buffer(sendbuf), sendcounts, displs, type_of(sendtype), buffer(recvbuf),
                              *recvcount, type_of(recvtype), *root, comm_of(comm)));
}

ORTHO_UNIFY_FORTRAN(allgather,
                    (void* sendbuf, Fint* sendcount, Fint* sendtype, void* recvbuf, Fint* recvcount,
                     Fint* recvtype, Fint* comm, Fint* ierror),
                    (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, ierror))
{
    give(ierror, MPI_Allgather(buffer(sendbuf), *sendcount, type_of(sendtype), buffer(recvbuf), *recvcount,
                               type_of(recvtype), comm_of(comm)));
}

ORTHO_UNIFY_FORTRAN(allgatherv,
                    (void* sendbuf, Fint* sendcount, Fint* sendtype, void* recvbuf, Fint* recvcounts,
                     Fint* displs, Fint* recvtype, Fint* comm, Fint* ierror),
                    (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, ierror))
{
    give(ierror, MPI_Allgatherv(buffer(sendbuf), *sendcount, type_of(sendtype), buffer(recvbuf), recvcounts,
                                displs, type_of(recvtype), comm_of(comm)));
}

ORTHO_UNIFY_FORTRAN(alltoall,
                    (void* sendbuf, Fint* sendcount, Fint* sendtype, void* recvbuf, Fint* recvcount,
                     Fint* recvtype, Fint* comm, Fint* ierror),
                    (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, ierror))
{
    give(ierror, MPI_Alltoall(buffer(sendbuf), *sendcount, type_of(sendtype), buffer(recvbuf), *recvcount,
                              type_of(recvtype), comm_of(comm)));
}

ORTHO_UNIFY_FORTRAN(alltoallv,
                    (void* sendbuf, Fint* sendcounts, Fint* sdispls, Fint* sendtype, void* recvbuf,
                     Fint* recvcounts, Fint* rdispls, Fint* recvtype, Fint* comm, Fint* ierror),
                    (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm,
                     ierror))
{
    give(ierror, MPI_Alltoallv(buffer(sendbuf), sendcounts, sdispls, type_of(sendtype), buffer(recvbuf),
                               recvcounts, rdispls, type_of(recvtype), comm_of(comm)));
}

ORTHO_UNIFY_FORTRAN(alltoallw,
                    (void* sendbuf, Fint* sendcounts, Fint* sdispls, Fint* sendtypes, void* recvbuf,
                     Fint* recvcounts, Fint* rdispls, Fint* recvtypes, Fint* comm, Fint* ierror),
                    (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,
                     ierror))
{
    const auto sends = types_of(sendtypes, pmpi::sent(buffer(sendbuf), neighbors));
    const auto receives = types_of(recvtypes, neighbors.sources.size());
    give(ierror, MPI_Alltoallw(buffer(sendbuf), sendcounts, sdispls, sends.data(), buffer(recvbuf),
                               recvcounts, rdispls, receives.data(), comm_of(comm)));
}

ORTHO_UNIFY_FORTRAN(reduce,
                    (void* sendbuf, void* recvbuf, Fint* count, Fint* datatype, Fint* op, Fint* root,
                     Fint* comm, Fint* ierror),
                    (sendbuf, recvbuf, count, datatype, op, root, comm, ierror))
{
    give(ierror, MPI_Reduce(buffer(sendbuf), buffer(recvbuf), *count, type_of(datatype), op_of(op), *root,
                            comm_of(comm)));
}

ORTHO_UNIFY_FORTRAN(allreduce,
                    (void* sendbuf, void* recvbuf, Fint* count, Fint* datatype, Fint* op, Fint* comm,
                     Fint* ierror),
                    (sendbuf, recvbuf, count, datatype, op, comm, ierror))
{
    give(ierror, MPI_Allreduce(buffer(sendbuf), buffer(recvbuf), *count, type_of(datatype), op_of(op),
                               comm_of(comm)));
}

ORTHO_UNIFY_FORTRAN(reduce_scatter_block,
                    (void* sendbuf, void* recvbuf, Fint* recvcount, Fint* datatype, Fint* op, Fint* comm,
                     Fint* ierror),
                    (sendbuf, recvbuf, recvcount, datatype, op, comm, ierror))
{
    give(ierror, MPI_Reduce_scatter_block(buffer(sendbuf), buffer(recvbuf), *recvcount, type_of(datatype),
                                          op_of(op), comm_of(comm)));
}

ORTHO_UNIFY_FORTRAN(reduce_scatter,
                    (void* sendbuf, void* recvbuf, Fint* recvcounts, Fint* datatype, Fint* op, Fint* comm,
                     Fint* ierror),
                    (sendbuf, recvbuf, recvcounts, datatype, op, comm, ierror))
{
    give(ierror, MPI_Reduce_scatter(buffer(sendbuf), buffer(recvbuf), recvcounts, type_of(datatype),
                                    op_of(op), comm_of(comm)));
}

ORTHO_UNIFY_FORTRAN(scan,
                    (void* sendbuf, void* recvbuf, Fint* count, Fint* datatype, Fint* op, Fint* comm,
                     Fint* ierror),
                    (sendbuf, recvbuf, count, datatype, op, comm, ierror))
{
    give(ierror,
         MPI_Scan(buffer(sendbuf), buffer(recvbuf), *count, type_of(datatype), op_of(op), comm_of(comm)));
}

ORTHO_UNIFY_FORTRAN(exscan,
                    (void* sendbuf, void* recvbuf, Fint* count, Fint* datatype, Fint* op, Fint* comm,
                     Fint* ierror),
                    (sendbuf, recvbuf, count, datatype, op, comm, ierror))
{
    give(ierror,
         MPI_Exscan(buffer(sendbuf), buffer(recvbuf), *count, type_of(datatype), op_of(op), comm_of(comm)));
}

// --- Non-blocking ------------------------------------------------

ORTHO_UNIFY_FORTRAN(ibcast,
                    (void* buf, Fint* count, Fint* datatype, Fint* root, Fint* comm, Fint* request,
                     Fint* ierror),
                    (buf, count, datatype, root, comm, request, ierror))
{
    MPI_Request made = MPI_REQUEST_NULL;
    const int code = MPI_Ibcast(buffer(buf), *count, type_of(datatype), *root, comm_of(comm), &made);
    give_request(request, made, ierror, code);
}

ORTHO_UNIFY_FORTRAN(igather,
                    (void* sendbuf, Fint* sendcount, Fint* sendtype, void* recvbuf, Fint* recvcount,
                     Fint* recvtype, Fint* root, Fint* comm, Fint* request, Fint* ierror),
                    (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request, ierror))
{
    MPI_Request made = MPI_REQUEST_NULL;
    const int code = MPI_Igather(buffer(sendbuf), *sendcount, type_of(sendtype), buffer(recvbuf), *recvcount,
                                 type_of(recvtype), *root, comm_of(comm), &made);
    give_request(request, made, ierror, code);
}

ORTHO_UNIFY_FORTRAN(igatherv,
                    (void* sendbuf, Fint* sendcount, Fint* sendtype, void* recvbuf, Fint* recvcounts,
                     Fint* displs, Fint* recvtype, Fint* root, Fint* comm, Fint* request, Fint* ierror),
                    (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, request,
                     ierror))
{
    MPI_Request made = MPI_REQUEST_NULL;
    const int code = MPI_Igatherv(buffer(sendbuf), *sendcount, type_of(sendtype), buffer(recvbuf), recvcounts,
                                  displs, type_of(recvtype), *root, comm_of(comm), &made);
    give_request(request, made, ierror, code);
}

ORTHO_UNIFY_FORTRAN(iscatter,
                    (void* sendbuf, Fint* sendcount, Fint* sendtype, void* recvbuf, Fint* recvcount,
                     Fint* recvtype, Fint* root, Fint* comm, Fint* request, Fint* ierror),
                    (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request, ierror))
{
    MPI_Request made = MPI_REQUEST_NULL;
    const int code = MPI_Iscatter(buffer(sendbuf), *sendcount, type_of(sendtype), buffer(recvbuf), *recvcount,
                                  type_of(recvtype), *root, comm_of(comm), &made);
    give_request(request, made, ierror, code);
}

ORTHO_UNIFY_FORTRAN(iscatterv,
                    (void* sendbuf, Fint* sendcounts, Fint* displs, Fint* sendtype, void* recvbuf,
                     Fint* recvcount, Fint* recvtype, Fint* root, Fint* comm, Fint* request, Fint* ierror),
                    (sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, request,
                     ierror))
{
    MPI_Request made = MPI_REQUEST_NULL;
    const int code = MPI_Iscatterv(buffer(sendbuf), sendcounts, displs, type_of(sendtype), buffer(recvbuf),
                                   *recvcount, type_of(recvtype), *root, comm_of(comm), &made);
    give_request(request, made, ierror, code);
}

ORTHO_UNIFY_FORTRAN(iallgather,
                    (void* sendbuf, Fint* sendcount, Fint* sendtype, void* recvbuf, Fint* recvcount,
                     Fint* recvtype, Fint* comm, Fint* request, Fint* ierror),
                    (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request, ierror))
{
    MPI_Request made = MPI_REQUEST_NULL;
    const int code = MPI_Iallgather(buffer(sendbuf), *sendcount, type_of(sendtype), buffer(recvbuf),
                                    *recvcount, type_of(recvtype), comm_of(comm), &made);
    give_request(request, made, ierror, code);
}

ORTHO_UNIFY_FORTRAN(iallgatherv,
                    (void* sendbuf, Fint* sendcount, Fint* sendtype, void* recvbuf, Fint* recvcounts,
                     Fint* displs, Fint* recvtype, Fint* comm, Fint* request, Fint* ierror),
                    (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request,
                     ierror))
{
    MPI_Request made = MPI_REQUEST_NULL;
    const int code = MPI_Iallgatherv(buffer(sendbuf), *sendcount, type_of(sendtype), buffer(recvbuf),
                                     recvcounts, displs, type_of(recvtype), comm_of(comm), &made);
    give_request(request, made, ierror, code);
}

ORTHO_UNIFY_FORTRAN(ialltoall,
                    (void* sendbuf, Fint* sendcount, Fint* sendtype, void* recvbuf, Fint* recvcount,
                     Fint* recvtype, Fint* comm, Fint* request, Fint* ierror),
                    (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request, ierror))
{
    MPI_Request made = MPI_REQUEST_NULL;
    const int code = MPI_Ialltoall(buffer(sendbuf), *sendcount, type_of(sendtype), buffer(recvbuf),
                                   *recvcount, type_of(recvtype), comm_of(comm), &made);
    give_request(request, made, ierror, code);
}

ORTHO_UNIFY_FORTRAN(ialltoallv,
                    (void* sendbuf, Fint* sendcounts, Fint* sdispls, Fint* sendtype, void* recvbuf,
                     Fint* recvcounts, Fint* rdispls, Fint* recvtype, Fint* comm, Fint* request,
                     Fint* ierror),
                    (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm,
                     request, ierror))
{
    MPI_Request made = MPI_REQUEST_NULL;
    const int code = MPI_Ialltoallv(buffer(sendbuf), sendcounts, sdispls, type_of(sendtype), buffer(recvbuf),
                                    recvcounts, rdispls, type_of(recvtype), comm_of(comm), &made);
    give_request(request, made, ierror, code);
}

ORTHO_UNIFY_FORTRAN(ialltoallw,
                    (void* sendbuf, Fint* sendcounts, Fint* sdispls, Fint* sendtypes, void* recvbuf,
                     Fint* recvcounts, Fint* rdispls, Fint* recvtypes, Fint* comm, Fint* request,
                     Fint* ierror),
                    (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,
                     request, ierror))
{
    const auto sends = types_of(sendtypes, pmpi::sent(buffer(sendbuf), neighbors));
    const auto receives = types_of(recvtypes, neighbors.sources.size());
    MPI_Request made = MPI_REQUEST_NULL;
    const int code = MPI_Ialltoallw(buffer(sendbuf), sendcounts, sdispls, sends.data(), buffer(recvbuf),
                                    recvcounts, rdispls, receives.data(), comm_of(comm), &made);
    give_request(request, made, ierror, code);
}

ORTHO_UNIFY_FORTRAN(ireduce,
                    (void* sendbuf, void* recvbuf, Fint* count, Fint* datatype, Fint* op, Fint* root,
                     Fint* comm, Fint* request, Fint* ierror),
                    (sendbuf, recvbuf, count, datatype, op, root, comm, request, ierror))
{
    MPI_Request made = MPI_REQUEST_NULL;
    const int code = MPI_Ireduce(buffer(sendbuf), buffer(recvbuf), *count, type_of(datatype), op_of(op),
                                 *root, comm_of(comm), &made);
    give_request(request, made, ierror, code);
}

ORTHO_UNIFY_FORTRAN(iallreduce,
                    (void* sendbuf, void* recvbuf, Fint* count, Fint* datatype, Fint* op, Fint* comm,
                     Fint* request, Fint* ierror),
                    (sendbuf, recvbuf, count, datatype, op, comm, request, ierror))
{
    MPI_Request made = MPI_REQUEST_NULL;
    const int code = MPI_Iallreduce(buffer(sendbuf), buffer(recvbuf), *count, type_of(datatype), op_of(op),
                                    comm_of(comm), &made);
    give_request(request, made, ierror, code);
}

ORTHO_UNIFY_FORTRAN(ireduce_scatter_block,
                    (void* sendbuf, void* recvbuf, Fint* recvcount, Fint* datatype, Fint* op, Fint* comm,
                     Fint* request, Fint* ierror),
                    (sendbuf, recvbuf, recvcount, datatype, op, comm, request, ierror))
{
    MPI_Request made = MPI_REQUEST_NULL;
    const int code = MPI_Ireduce_scatter_block(buffer(sendbuf), buffer(recvbuf), *recvcount,
                                               type_of(datatype), op_of(op), comm_of(comm), &made);
    give_request(request, made, ierror, code);
}

ORTHO_UNIFY_FORTRAN(ireduce_scatter,
                    (void* sendbuf, void* recvbuf, Fint* recvcounts, Fint* datatype, Fint* op, Fint* comm,
                     Fint* request, Fint* ierror),
                    (sendbuf, recvbuf, recvcounts, datatype, op, comm, request, ierror))
{
    MPI_Request made = MPI_REQUEST_NULL;
    const int code = MPI_Ireduce_scatter(buffer(sendbuf), buffer(recvbuf), recvcounts, type_of(datatype),
                                         op_of(op), comm_of(comm), &made);
    give_request(request, made, ierror, code);
}

ORTHO_UNIFY_FORTRAN(iscan,
                    (void* sendbuf, void* recvbuf, Fint* count, Fint* datatype, Fint* op, Fint* comm,
                     Fint* request, Fint* ierror),
                    (sendbuf, recvbuf, count, datatype, op, comm, request, ierror))
{
    MPI_Request made = MPI_REQUEST_NULL;
    const int code = MPI_Iscan(buffer(sendbuf), buffer(recvbuf), *count, type_of(datatype), op_of(op),
                               comm_of(comm), &made);
    give_request(request, made, ierror, code);
}

ORTHO_UNIFY_FORTRAN(iexscan,
                    (void* sendbuf, void* recvbuf, Fint* count, Fint* datatype, Fint* op, Fint* comm,
                     Fint* request, Fint* ierror),
                    (sendbuf, recvbuf, count, datatype, op, comm, request, ierror))
{
    MPI_Request made = MPI_REQUEST_NULL;
    const int code = MPI_Iexscan(buffer(sendbuf), buffer(recvbuf), *count, type_of(datatype), op_of(op),
                                 comm_of(comm), &made);
    give_request(request, made, ierror, code);
}

#endif
