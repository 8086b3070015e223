// SPDX-License-Identifier: BSD-3-Clause
// Fortran calls: topologies, neighborhood collectives, point-to-point.

#include <mpi.h>

#include <vector>

#include "pmpi/fortran.hpp"
#include "pmpi/ineighbor.hpp"
#include "pmpi/strict.hpp"

using namespace ortho;
using namespace ortho::pmpi::fortran;

ORTHO_FORTRAN(cart_create,
              (Fint * comm, Fint* ndims, Fint* dims, Fint* periods, Fint* reorder, Fint* cart, Fint* ierror),
              (comm, ndims, dims, periods, reorder, cart, ierror))
{
    std::vector<int> are_periodic;
    for (int k = 0; k < *ndims; ++k) are_periodic.push_back(periods[k] != 0);
    MPI_Comm made = MPI_COMM_NULL;
    const int code = MPI_Cart_create(comm_of(comm), *ndims, dims, are_periodic.data(), *reorder != 0, &made);
    give_comm(cart, made, ierror, code);
}

#ifdef OPEN_MPI

namespace {

/// The datatypes of a w call, as many as there are neighbors.
struct Types {
    Types(const MPI_Fint* comm, const MPI_Fint* send, const MPI_Fint* receive)
    {
        const pmpi::Carried* const carried = pmpi::carried_by(comm_of(comm));
        if (carried == nullptr) return; // MPI complains before it looks at them
        sends = types_of(send, carried->neighbors->targets.size());
        receives = types_of(receive, carried->neighbors->sources.size());
    }
    std::vector<MPI_Datatype> sends;
    std::vector<MPI_Datatype> receives;
};

} // namespace

// --- Topologies ------------------------------------------------------------------------------------

ORTHO_FORTRAN(dist_graph_create_adjacent,
              (Fint * comm, Fint* indegree, Fint* sources, Fint* sourceweights, Fint* outdegree,
               Fint* destinations, Fint* destweights, Fint* info, Fint* reorder, Fint* graph, Fint* ierror),
              (comm, indegree, sources, sourceweights, outdegree, destinations, destweights, info, reorder,
               graph, ierror))
{
    MPI_Comm made = MPI_COMM_NULL;
    const int code = MPI_Dist_graph_create_adjacent(comm_of(comm), *indegree, sources, weights(sourceweights),
                                                    *outdegree, destinations, weights(destweights),
                                                    PMPI_Info_f2c(*info), *reorder != 0, &made);
    give_comm(graph, made, ierror, code);
}

ORTHO_FORTRAN(dist_graph_create,
              (Fint * comm, Fint* n, Fint* sources, Fint* degrees, Fint* destinations, Fint* edgeweights,
               Fint* info, Fint* reorder, Fint* graph, Fint* ierror),
              (comm, n, sources, degrees, destinations, edgeweights, info, reorder, graph, ierror))
{
    MPI_Comm made = MPI_COMM_NULL;
    const int code = MPI_Dist_graph_create(comm_of(comm), *n, sources, degrees, destinations,
                                           weights(edgeweights), PMPI_Info_f2c(*info), *reorder != 0, &made);
    give_comm(graph, made, ierror, code);
}

// --- Neighborhood collectives ----------------------------------------------------------------------

#define ORTHO_REGULAR                                                                                        \
    Fint *sendcount, Fint *sendtype, void *recvbuf, Fint *recvcount, Fint *recvtype, Fint *comm
#define ORTHO_REGULAR_C                                                                                      \
    buffer(sendbuf), *sendcount, type_of(sendtype), buffer(recvbuf), *recvcount, type_of(recvtype),          \
        comm_of(comm)
#define ORTHO_GATHERV                                                                                        \
    Fint *sendcount, Fint *sendtype, void *recvbuf, Fint *recvcounts, Fint *displs, Fint *recvtype, Fint *comm
#define ORTHO_GATHERV_C                                                                                      \
    buffer(sendbuf), *sendcount, type_of(sendtype), buffer(recvbuf), recvcounts, displs, type_of(recvtype),  \
        comm_of(comm)
#define ORTHO_VARYING                                                                                        \
    Fint *sendcounts, Fint *sdispls, Fint *sendtype, void *recvbuf, Fint *recvcounts, Fint *rdispls,         \
        Fint *recvtype, Fint *comm
#define ORTHO_VARYING_C                                                                                      \
    buffer(sendbuf), sendcounts, sdispls, type_of(sendtype), buffer(recvbuf), recvcounts, rdispls,           \
        type_of(recvtype), comm_of(comm)
#define ORTHO_TYPED                                                                                          \
    Fint *sendcounts, MPI_Aint *sdispls, Fint *sendtypes, void *recvbuf, Fint *recvcounts,                   \
        MPI_Aint *rdispls, Fint *recvtypes, Fint *comm
#define ORTHO_TYPED_C                                                                                        \
    buffer(sendbuf), sendcounts, sdispls, types.sends.data(), buffer(recvbuf), recvcounts, rdispls,          \
        types.receives.data(), comm_of(comm)

ORTHO_FORTRAN(neighbor_allgather, (void* sendbuf, ORTHO_REGULAR, Fint* ierror),
              (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, ierror))
{
    give(ierror, MPI_Neighbor_allgather(ORTHO_REGULAR_C));
}

ORTHO_FORTRAN(neighbor_allgatherv, (void* sendbuf, ORTHO_GATHERV, Fint* ierror),
              (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, ierror))
{
    give(ierror, MPI_Neighbor_allgatherv(ORTHO_GATHERV_C));
}

ORTHO_FORTRAN(neighbor_alltoall, (void* sendbuf, ORTHO_REGULAR, Fint* ierror),
              (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, ierror))
{
    give(ierror, MPI_Neighbor_alltoall(ORTHO_REGULAR_C));
}

ORTHO_FORTRAN(neighbor_alltoallv, (void* sendbuf, ORTHO_VARYING, Fint* ierror),
              (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, ierror))
{
    give(ierror, MPI_Neighbor_alltoallv(ORTHO_VARYING_C));
}

ORTHO_FORTRAN(neighbor_alltoallw, (void* sendbuf, ORTHO_TYPED, Fint* ierror),
              (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,
               ierror))
{
    const Types types(comm, sendtypes, recvtypes);
    give(ierror, MPI_Neighbor_alltoallw(ORTHO_TYPED_C));
}

ORTHO_FORTRAN(ineighbor_allgather, (void* sendbuf, ORTHO_REGULAR, Fint* request, Fint* ierror),
              (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request, ierror))
{
    MPI_Request made = MPI_REQUEST_NULL;
    const int code = MPI_Ineighbor_allgather(ORTHO_REGULAR_C, &made);
    give_request(request, made, ierror, code);
}

ORTHO_FORTRAN(ineighbor_allgatherv, (void* sendbuf, ORTHO_GATHERV, Fint* request, Fint* ierror),
              (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request, ierror))
{
    MPI_Request made = MPI_REQUEST_NULL;
    const int code = MPI_Ineighbor_allgatherv(ORTHO_GATHERV_C, &made);
    give_request(request, made, ierror, code);
}

ORTHO_FORTRAN(ineighbor_alltoall, (void* sendbuf, ORTHO_REGULAR, Fint* request, Fint* ierror),
              (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request, ierror))
{
    MPI_Request made = MPI_REQUEST_NULL;
    const int code = MPI_Ineighbor_alltoall(ORTHO_REGULAR_C, &made);
    give_request(request, made, ierror, code);
}

ORTHO_FORTRAN(ineighbor_alltoallv, (void* sendbuf, ORTHO_VARYING, Fint* request, Fint* ierror),
              (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, request,
               ierror))
{
    MPI_Request made = MPI_REQUEST_NULL;
    const int code = MPI_Ineighbor_alltoallv(ORTHO_VARYING_C, &made);
    give_request(request, made, ierror, code);
}

// Open MPI reads the datatypes until the operation is over: where its own call is right, its Fortran knows
// how to keep them.
#define ORTHO_INEIGHBOR_ALLTOALLW(name)                                                                      \
    extern "C" void p##name(void* sendbuf, ORTHO_TYPED, Fint* request, Fint* ierror) __attribute__((weak));  \
    extern "C" void name(void* sendbuf, ORTHO_TYPED, Fint* request, Fint* ierror)                            \
    {                                                                                                        \
        const pmpi::Carried* const carried = pmpi::exchanged_on(comm_of(comm));                              \
        if (pmpi::leaves_exchange(carried, comm_of(comm))) {                                                 \
            p##name(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,  \
                    request, ierror);                                                                        \
            return;                                                                                          \
        }                                                                                                    \
        const Types types(comm, sendtypes, recvtypes);                                                       \
        MPI_Request made = MPI_REQUEST_NULL;                                                                 \
        const int code = MPI_Ineighbor_alltoallw(ORTHO_TYPED_C, &made);                                      \
        give_request(request, made, ierror, code);                                                           \
    }
ORTHO_INEIGHBOR_ALLTOALLW(mpi_ineighbor_alltoallw_)
ORTHO_INEIGHBOR_ALLTOALLW(mpi_ineighbor_alltoallw_f08_)

// --- Point-to-point ---------------------------------------------------------------------------------

// Arguments go on as they are, to the names that Open MPI has for profilers; those are there if the program
// is Fortran.
#define ORTHO_STRICT_FORTRAN(name, function, parameters, arguments, request, ...)                            \
    extern "C" void pmpi_##name##_ parameters __attribute__((weak));                                         \
    extern "C" void pmpi_##name##_f08_ parameters __attribute__((weak));                                     \
    extern "C" void mpi_##name##_ parameters                                                                 \
    {                                                                                                        \
        if (is_allowed(function, comm, request, ierror, __VA_ARGS__)) pmpi_##name##_ arguments;              \
    }                                                                                                        \
    extern "C" void mpi_##name##_f08_ parameters                                                             \
    {                                                                                                        \
        if (is_allowed(function, comm, request, ierror, __VA_ARGS__)) pmpi_##name##_f08_ arguments;          \
    }

namespace {

template <class... Peers>
bool is_allowed(const char* function, const Fint* comm, Fint* request, Fint* ierror, Peers... peers)
{
    if (!pmpi::is_strict()) return true;
    bool allowed = false;
    const auto allow = [&] {
        allowed = true;
        return MPI_SUCCESS;
    };
    const int code = pmpi::along_edges(function, comm_of(comm), nullptr, allow, peers...);
    if (allowed) return true;
    if (request != nullptr) *request = PMPI_Request_c2f(MPI_REQUEST_NULL);
    give(ierror, code);
    return false;
}

constexpr Fint* no_request = nullptr;

} // namespace

#define ORTHO_SEND_FORTRAN(name, function)                                                                   \
    ORTHO_STRICT_FORTRAN(                                                                                    \
        name, function,                                                                                      \
        (void* buf, Fint* count, Fint* type, Fint* dest, Fint* tag, Fint* comm, Fint* ierror),               \
        (buf, count, type, dest, tag, comm, ierror), no_request, pmpi::to(*dest))
#define ORTHO_ISEND_FORTRAN(name, function)                                                                  \
    ORTHO_STRICT_FORTRAN(name, function,                                                                     \
                         (void* buf, Fint* count, Fint* type, Fint* dest, Fint* tag, Fint* comm,             \
                          Fint* request, Fint* ierror),                                                      \
                         (buf, count, type, dest, tag, comm, request, ierror), request, pmpi::to(*dest))

ORTHO_SEND_FORTRAN(send, "MPI_Send")
ORTHO_SEND_FORTRAN(bsend, "MPI_Bsend")
ORTHO_SEND_FORTRAN(ssend, "MPI_Ssend")
ORTHO_SEND_FORTRAN(rsend, "MPI_Rsend")
ORTHO_ISEND_FORTRAN(isend, "MPI_Isend")
ORTHO_ISEND_FORTRAN(ibsend, "MPI_Ibsend")
ORTHO_ISEND_FORTRAN(issend, "MPI_Issend")
ORTHO_ISEND_FORTRAN(irsend, "MPI_Irsend")
ORTHO_ISEND_FORTRAN(send_init, "MPI_Send_init")
ORTHO_ISEND_FORTRAN(bsend_init, "MPI_Bsend_init")
ORTHO_ISEND_FORTRAN(ssend_init, "MPI_Ssend_init")
ORTHO_ISEND_FORTRAN(rsend_init, "MPI_Rsend_init")
ORTHO_STRICT_FORTRAN(recv, "MPI_Recv",
                     (void* buf, Fint* count, Fint* type, Fint* source, Fint* tag, Fint* comm, Fint* status,
                      Fint* ierror),
                     (buf, count, type, source, tag, comm, status, ierror), no_request, pmpi::from(*source))
ORTHO_STRICT_FORTRAN(irecv, "MPI_Irecv",
                     (void* buf, Fint* count, Fint* type, Fint* source, Fint* tag, Fint* comm, Fint* request,
                      Fint* ierror),
                     (buf, count, type, source, tag, comm, request, ierror), request, pmpi::from(*source))
ORTHO_STRICT_FORTRAN(recv_init, "MPI_Recv_init",
                     (void* buf, Fint* count, Fint* type, Fint* source, Fint* tag, Fint* comm, Fint* request,
                      Fint* ierror),
                     (buf, count, type, source, tag, comm, request, ierror), request, pmpi::from(*source))
ORTHO_STRICT_FORTRAN(sendrecv, "MPI_Sendrecv",
                     (void* sendbuf, Fint* sendcount, Fint* sendtype, Fint* dest, Fint* sendtag,
                      void* recvbuf, Fint* recvcount, Fint* recvtype, Fint* source, Fint* recvtag, Fint* comm,
                      Fint* status, Fint* ierror),
                     (sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source,
                      recvtag, comm, status, ierror),
                     no_request, pmpi::to(*dest), pmpi::from(*source))
ORTHO_STRICT_FORTRAN(sendrecv_replace, "MPI_Sendrecv_replace",
                     (void* buf, Fint* count, Fint* type, Fint* dest, Fint* sendtag, Fint* source,
                      Fint* recvtag, Fint* comm, Fint* status, Fint* ierror),
                     (buf, count, type, dest, sendtag, source, recvtag, comm, status, ierror), no_request,
                     pmpi::to(*dest), pmpi::from(*source))

#endif // OPEN_MPI
