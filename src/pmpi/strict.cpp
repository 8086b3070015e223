// SPDX-License-Identifier: BSD-3-Clause
// MPI's point-to-point calls; with ORTHO_STRICT=1 they go only along the edges of a graph.

#include "pmpi/strict.hpp"

#include <string>

#include "mpi/object_info.hpp"
#include "mpiortho.h"

using namespace ortho;

namespace ortho::pmpi {

namespace {

std::string name_of(MPI_Comm comm)
{
    const std::string name = mpi::comm_name(comm);
    if (!name.empty()) return name;
    int size = 0;
    PMPI_Comm_size(comm, &size);
    return base::text("a communicator of ", size, " processes");
}

} // namespace

void require_edge(MPI_Comm comm, const Peer& peer)
{
    if (peer.rank == MPI_PROC_NULL || (peer.way == Peer::Way::from && peer.rank == MPI_ANY_SOURCE)) return;
    const InterposedTopology* const attribute = attribute_of(comm);
    // A grid is a name, and restricts nothing.
    if (attribute == nullptr || attribute->is_grid) return;
    int size = 0;
    PMPI_Comm_size(comm, &size);
    if (peer.rank < 0 || peer.rank >= size) return; // MPI reports the error
    const bool is_out = peer.way == Peer::Way::to;
    int in = 0;
    int out = 0;
    if (ORTHO_Dist_graph_find(comm, peer.rank, 0, nullptr, &in, nullptr, &out) != MPI_SUCCESS) return;
    if ((is_out ? out : in) > 0) return;
    int me = 0;
    PMPI_Comm_rank(comm, &me);
    base::fail(base::ErrorKind::neighbor, peer.argument, peer.argument, " = ", peer.rank, ": process ", me,
               is_out ? " has no edge to process " : " has no edge from process ", peer.rank,
               " on the graph of ", name_of(comm),
               " (ORTHO_STRICT=1; ORTHO_Comm_base makes a communicator where all may talk to all)");
}

} // namespace ortho::pmpi

extern "C" {

// Some of these are new in MPI 4, which the MPI that runs may have, and the build's may not.
// The calls whose counts are `Count`s, with the end `c` of their names.
#define SEND(name, c, Count)                                                                                 \
    [[gnu::weak]] int PMPI_##name##c(const void* buf, Count count, MPI_Datatype datatype, int dest, int tag, \
                                     MPI_Comm comm);                                                         \
    int MPI_##name##c(const void* buf, Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) \
    {                                                                                                        \
        return pmpi::along_edges(                                                                            \
            "MPI_" #name #c, comm, nullptr,                                                                  \
            [&] {                                                                                            \
                return pmpi::large_or_small(PMPI_##name##c, PMPI_##name, buf, count, datatype, dest, tag,    \
                                            comm);                                                           \
            },                                                                                               \
            pmpi::to(dest));                                                                                 \
    }
#define SEND_BY_REQUEST(name, c, Count)                                                                      \
    [[gnu::weak]] int PMPI_##name##c(const void* buf, Count count, MPI_Datatype datatype, int dest, int tag, \
                                     MPI_Comm comm, MPI_Request* request);                                   \
    int MPI_##name##c(const void* buf, Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, \
                      MPI_Request* request)                                                                  \
    {                                                                                                        \
        return pmpi::along_edges(                                                                            \
            "MPI_" #name #c, comm, request,                                                                  \
            [&] {                                                                                            \
                return pmpi::large_or_small(PMPI_##name##c, PMPI_##name, buf, count, datatype, dest, tag,    \
                                            comm, request);                                                  \
            },                                                                                               \
            pmpi::to(dest));                                                                                 \
    }
// `Last` and `last`: the type and the name of the last argument, `request`: the request that the call makes.
#define RECEIVE(name, c, Count, Last, last, request)                                                         \
    [[gnu::weak]] int PMPI_##name##c(void* buf, Count count, MPI_Datatype datatype, int source, int tag,     \
                                     MPI_Comm comm, Last* last);                                             \
    int MPI_##name##c(void* buf, Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,     \
                      Last* last)                                                                            \
    {                                                                                                        \
        return pmpi::along_edges(                                                                            \
            "MPI_" #name #c, comm, request,                                                                  \
            [&] {                                                                                            \
                return pmpi::large_or_small(PMPI_##name##c, PMPI_##name, buf, count, datatype, source, tag,  \
                                            comm, last);                                                     \
            },                                                                                               \
            pmpi::from(source));                                                                             \
    }
#define SENDRECV(name, c, Count, Last, last, request)                                                        \
    [[gnu::weak]] int PMPI_##name##c(const void* sendbuf, Count sendcount, MPI_Datatype sendtype, int dest,  \
                                     int sendtag, void* recvbuf, Count recvcount, MPI_Datatype recvtype,     \
                                     int source, int recvtag, MPI_Comm comm, Last* last);                    \
    int MPI_##name##c(const void* sendbuf, Count sendcount, MPI_Datatype sendtype, int dest, int sendtag,    \
                      void* recvbuf, Count recvcount, MPI_Datatype recvtype, int source, int recvtag,        \
                      MPI_Comm comm, Last* last)                                                             \
    {                                                                                                        \
        return pmpi::along_edges(                                                                            \
            "MPI_" #name #c, comm, request,                                                                  \
            [&] {                                                                                            \
                return pmpi::large_or_small(PMPI_##name##c, PMPI_##name, sendbuf, sendcount, sendtype, dest, \
                                            sendtag, recvbuf, recvcount, recvtype, source, recvtag, comm,    \
                                            last);                                                           \
            },                                                                                               \
            pmpi::to(dest), pmpi::from(source));                                                             \
    }
#define SENDRECV_REPLACE(name, c, Count, Last, last, request)                                                \
    [[gnu::weak]] int PMPI_##name##c(void* buf, Count count, MPI_Datatype datatype, int dest, int sendtag,   \
                                     int source, int recvtag, MPI_Comm comm, Last* last);                    \
    int MPI_##name##c(void* buf, Count count, MPI_Datatype datatype, int dest, int sendtag, int source,      \
                      int recvtag, MPI_Comm comm, Last* last)                                                \
    {                                                                                                        \
        return pmpi::along_edges(                                                                            \
            "MPI_" #name #c, comm, request,                                                                  \
            [&] {                                                                                            \
                return pmpi::large_or_small(PMPI_##name##c, PMPI_##name, buf, count, datatype, dest,         \
                                            sendtag, source, recvtag, comm, last);                           \
            },                                                                                               \
            pmpi::to(dest), pmpi::from(source));                                                             \
    }
#define POINT_TO_POINT(c, Count)                                                                             \
    SEND(Send, c, Count)                                                                                     \
    SEND(Bsend, c, Count)                                                                                    \
    SEND(Ssend, c, Count)                                                                                    \
    SEND(Rsend, c, Count)                                                                                    \
    SEND_BY_REQUEST(Isend, c, Count)                                                                         \
    SEND_BY_REQUEST(Ibsend, c, Count)                                                                        \
    SEND_BY_REQUEST(Issend, c, Count)                                                                        \
    SEND_BY_REQUEST(Irsend, c, Count)                                                                        \
    SEND_BY_REQUEST(Send_init, c, Count)                                                                     \
    SEND_BY_REQUEST(Bsend_init, c, Count)                                                                    \
    SEND_BY_REQUEST(Ssend_init, c, Count)                                                                    \
    SEND_BY_REQUEST(Rsend_init, c, Count)                                                                    \
    RECEIVE(Recv, c, Count, MPI_Status, status, nullptr)                                                     \
    RECEIVE(Irecv, c, Count, MPI_Request, request, request)                                                  \
    RECEIVE(Recv_init, c, Count, MPI_Request, request, request)                                              \
    SENDRECV(Sendrecv, c, Count, MPI_Status, status, nullptr)                                                \
    SENDRECV_REPLACE(Sendrecv_replace, c, Count, MPI_Status, status, nullptr)
POINT_TO_POINT(, int)
POINT_TO_POINT(_c, MPI_Count)
SENDRECV(Isendrecv, , int, MPI_Request, request, request)
SENDRECV(Isendrecv, _c, MPI_Count, MPI_Request, request, request)
SENDRECV_REPLACE(Isendrecv_replace, , int, MPI_Request, request, request)
SENDRECV_REPLACE(Isendrecv_replace, _c, MPI_Count, MPI_Request, request, request)

// The partner of a receiving call stands where that of a sending one does.
#define PARTITIONED(name, Buffer, way)                                                                       \
    [[gnu::weak]] int PMPI_##name(Buffer* buf, int partitions, MPI_Count count, MPI_Datatype datatype,       \
                                  int peer, int tag, MPI_Comm comm, MPI_Info info, MPI_Request* request);    \
    int MPI_##name(Buffer* buf, int partitions, MPI_Count count, MPI_Datatype datatype, int peer, int tag,   \
                   MPI_Comm comm, MPI_Info info, MPI_Request* request)                                       \
    {                                                                                                        \
        return pmpi::along_edges(                                                                            \
            "MPI_" #name, comm, request,                                                                     \
            [&] {                                                                                            \
                return pmpi::if_there(PMPI_##name, buf, partitions, count, datatype, peer, tag, comm, info,  \
                                      request);                                                              \
            },                                                                                               \
            pmpi::way(peer));                                                                                \
    }
PARTITIONED(Psend_init, const void, to)
PARTITIONED(Precv_init, void, from)

int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status* status)
{
    return pmpi::along_edges(
        "MPI_Probe", comm, nullptr, [&] { return PMPI_Probe(source, tag, comm, status); },
        pmpi::from(source));
}

int MPI_Iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status)
{
    return pmpi::along_edges(
        "MPI_Iprobe", comm, nullptr, [&] { return PMPI_Iprobe(source, tag, comm, flag, status); },
        pmpi::from(source));
}

int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status)
{
    return pmpi::along_edges(
        "MPI_Mprobe", comm, nullptr, [&] { return PMPI_Mprobe(source, tag, comm, message, status); },
        pmpi::from(source));
}

int MPI_Improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status)
{
    return pmpi::along_edges(
        "MPI_Improbe", comm, nullptr, [&] { return PMPI_Improbe(source, tag, comm, flag, message, status); },
        pmpi::from(source));
}

} // extern "C"
