// SPDX-License-Identifier: BSD-3-Clause
// Fortran calls: topologies, point-to-point.  (Collectives come from the table of calls.)

#include "pmpi/fortran.hpp"
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

ORTHO_FORTRAN(graph_create,
              (Fint * comm, Fint* nnodes, Fint* index, Fint* edges, Fint* reorder, Fint* graph, Fint* ierror),
              (comm, nnodes, index, edges, reorder, graph, ierror))
{
    MPI_Comm made = MPI_COMM_NULL;
    const int code = MPI_Graph_create(comm_of(comm), *nnodes, index, edges, *reorder != 0, &made);
    give_comm(graph, made, ierror, code);
}

ORTHO_FORTRAN(comm_dup, (Fint * comm, Fint* made, Fint* ierror), (comm, made, ierror))
{
    MPI_Comm copy = MPI_COMM_NULL;
    const int code = MPI_Comm_dup(comm_of(comm), &copy);
    give_comm(made, copy, ierror, code);
}

ORTHO_FORTRAN(comm_dup_with_info, (Fint * comm, Fint* info, Fint* made, Fint* ierror),
              (comm, info, made, ierror))
{
    MPI_Comm copy = MPI_COMM_NULL;
    const int code = MPI_Comm_dup_with_info(comm_of(comm), PMPI_Info_f2c(*info), &copy);
    give_comm(made, copy, ierror, code);
}

ORTHO_FORTRAN(comm_split, (Fint * comm, Fint* color, Fint* key, Fint* made, Fint* ierror),
              (comm, color, key, made, ierror))
{
    MPI_Comm part = MPI_COMM_NULL;
    const int code = MPI_Comm_split(comm_of(comm), *color, *key, &part);
    give_comm(made, part, ierror, code);
}

ORTHO_FORTRAN(comm_split_type, (Fint * comm, Fint* type, Fint* key, Fint* info, Fint* made, Fint* ierror),
              (comm, type, key, info, made, ierror))
{
    MPI_Comm part = MPI_COMM_NULL;
    const int code = MPI_Comm_split_type(comm_of(comm), *type, *key, PMPI_Info_f2c(*info), &part);
    give_comm(made, part, ierror, code);
}

ORTHO_FORTRAN(comm_create, (Fint * comm, Fint* group, Fint* made, Fint* ierror), (comm, group, made, ierror))
{
    MPI_Comm part = MPI_COMM_NULL;
    const int code = MPI_Comm_create(comm_of(comm), PMPI_Group_f2c(*group), &part);
    give_comm(made, part, ierror, code);
}

ORTHO_FORTRAN(comm_create_group, (Fint * comm, Fint* group, Fint* tag, Fint* made, Fint* ierror),
              (comm, group, tag, made, ierror))
{
    MPI_Comm part = MPI_COMM_NULL;
    const int code = MPI_Comm_create_group(comm_of(comm), PMPI_Group_f2c(*group), *tag, &part);
    give_comm(made, part, ierror, code);
}

ORTHO_FORTRAN(win_fence, (Fint * assertion, Fint* win, Fint* ierror), (assertion, win, ierror))
{
    give(ierror, MPI_Win_fence(*assertion, PMPI_Win_f2c(*win)));
}

ORTHO_FORTRAN(win_free, (Fint * win, Fint* ierror), (win, ierror))
{
    MPI_Win freed = PMPI_Win_f2c(*win);
    const int code = MPI_Win_free(&freed);
    if (code == MPI_SUCCESS) *win = PMPI_Win_c2f(freed);
    give(ierror, code);
}

#ifdef OPEN_MPI // in MPICH a call with a buffer goes through C
ORTHO_FORTRAN(win_create,
              (void* base, MPI_Aint* size, Fint* unit, Fint* info, Fint* comm, Fint* win, Fint* ierror),
              (base, size, unit, info, comm, win, ierror))
{
    MPI_Win made = MPI_WIN_NULL;
    const int code = MPI_Win_create(buffer_of(base), *size, *unit, PMPI_Info_f2c(*info), comm_of(comm),
                                    &made);
    if (code == MPI_SUCCESS) *win = PMPI_Win_c2f(made);
    give(ierror, code);
}
#endif

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

ORTHO_FORTRAN(dist_graph_neighbors_count,
              (Fint * comm, Fint* indegree, Fint* outdegree, Fint* weighted, Fint* ierror),
              (comm, indegree, outdegree, weighted, ierror))
{
    give(ierror, MPI_Dist_graph_neighbors_count(comm_of(comm), indegree, outdegree, weighted));
}

ORTHO_FORTRAN(dist_graph_neighbors,
              (Fint * comm, Fint* maxin, Fint* sources, Fint* sourceweights, Fint* maxout, Fint* destinations,
               Fint* destweights, Fint* ierror),
              (comm, maxin, sources, sourceweights, maxout, destinations, destweights, ierror))
{
    give(ierror, MPI_Dist_graph_neighbors(comm_of(comm), *maxin, sources, weights(sourceweights), *maxout,
                                          destinations, weights(destweights)));
}

#ifdef OPEN_MPI

// --- Point-to-point ---------------------------------------------------------------------------------

// Arguments go unchanged to Open MPI's names for profilers; these exist if the program is Fortran.
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
// `last`: the last argument, a status or a request; `request`: the request that the call makes.
#define ORTHO_SENDRECV_FORTRAN(name, function, last, request)                                                \
    ORTHO_STRICT_FORTRAN(name, function,                                                                     \
                         (void* sendbuf, Fint* sendcount, Fint* sendtype, Fint* dest, Fint* sendtag,         \
                          void* recvbuf, Fint* recvcount, Fint* recvtype, Fint* source, Fint* recvtag,       \
                          Fint* comm, Fint* last, Fint* ierror),                                             \
                         (sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, \
                          recvtag, comm, last, ierror),                                                      \
                         request, pmpi::to(*dest), pmpi::from(*source))
#define ORTHO_SENDRECV_REPLACE_FORTRAN(name, function, last, request)                                        \
    ORTHO_STRICT_FORTRAN(name, function,                                                                     \
                         (void* buf, Fint* count, Fint* type, Fint* dest, Fint* sendtag, Fint* source,       \
                          Fint* recvtag, Fint* comm, Fint* last, Fint* ierror),                              \
                         (buf, count, type, dest, sendtag, source, recvtag, comm, last, ierror), request,    \
                         pmpi::to(*dest), pmpi::from(*source))
ORTHO_SENDRECV_FORTRAN(sendrecv, "MPI_Sendrecv", status, no_request)
ORTHO_SENDRECV_FORTRAN(isendrecv, "MPI_Isendrecv", request, request)
ORTHO_SENDRECV_REPLACE_FORTRAN(sendrecv_replace, "MPI_Sendrecv_replace", status, no_request)
ORTHO_SENDRECV_REPLACE_FORTRAN(isendrecv_replace, "MPI_Isendrecv_replace", request, request)

#endif // OPEN_MPI
