// SPDX-License-Identifier: BSD-3-Clause
// MPI's point-to-point calls; with ORTHO_STRICT=1 they go only along the edges of a graph.

#include "pmpi/strict.hpp"

#include <algorithm>
#include <string>

#include "mpi/object_info.hpp"

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
    if (attribute == nullptr || attribute->kind != InterposedTopology::Kind::graph) return;
    int size = 0;
    PMPI_Comm_size(comm, &size);
    if (peer.rank < 0 || peer.rank >= size) return; // MPI reports the error
    const bool is_out = peer.way == Peer::Way::to;
    const std::vector<int>& neighbors = is_out ? attribute->neighbors->targets
                                               : attribute->neighbors->sources;
    if (std::ranges::find(neighbors, peer.rank) != neighbors.end()) return;
    int me = 0;
    PMPI_Comm_rank(comm, &me);
    base::fail(base::ErrorKind::neighbor, peer.argument, peer.argument, " = ", peer.rank, ": process ", me,
               is_out ? " has no edge to process " : " has no edge from process ", peer.rank,
               " on the graph of ", name_of(comm),
               " (ORTHO_STRICT=1; ORTHO_Comm_base makes a communicator where all may talk to all)");
}

} // namespace ortho::pmpi

extern "C" {

#define SEND(name)                                                                                           \
    int MPI_##name(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)      \
    {                                                                                                        \
        return pmpi::along_edges(                                                                            \
            "MPI_" #name, comm, nullptr, [&] { return PMPI_##name(buf, count, datatype, dest, tag, comm); }, \
            pmpi::to(dest));                                                                                 \
    }
SEND(Send)
SEND(Bsend)
SEND(Ssend)
SEND(Rsend)
#undef SEND

#define SEND_BY_REQUEST(name)                                                                                \
    int MPI_##name(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,      \
                   MPI_Request* request)                                                                     \
    {                                                                                                        \
        return pmpi::along_edges(                                                                            \
            "MPI_" #name, comm, request,                                                                     \
            [&] { return PMPI_##name(buf, count, datatype, dest, tag, comm, request); }, pmpi::to(dest));    \
    }
SEND_BY_REQUEST(Isend)
SEND_BY_REQUEST(Ibsend)
SEND_BY_REQUEST(Issend)
SEND_BY_REQUEST(Irsend)
SEND_BY_REQUEST(Send_init)
SEND_BY_REQUEST(Bsend_init)
SEND_BY_REQUEST(Ssend_init)
SEND_BY_REQUEST(Rsend_init)
#undef SEND_BY_REQUEST

int MPI_Recv(void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
             MPI_Status* status)
{
    return pmpi::along_edges(
        "MPI_Recv", comm, nullptr, [&] { return PMPI_Recv(buf, count, datatype, source, tag, comm, status); },
        pmpi::from(source));
}

int MPI_Irecv(void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
              MPI_Request* request)
{
    return pmpi::along_edges(
        "MPI_Irecv", comm, request,
        [&] { return PMPI_Irecv(buf, count, datatype, source, tag, comm, request); }, pmpi::from(source));
}

int MPI_Recv_init(void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                  MPI_Request* request)
{
    return pmpi::along_edges(
        "MPI_Recv_init", comm, request,
        [&] { return PMPI_Recv_init(buf, count, datatype, source, tag, comm, request); }, pmpi::from(source));
}

int MPI_Sendrecv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                 void* recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
                 MPI_Status* status)
{
    return pmpi::along_edges(
        "MPI_Sendrecv", comm, nullptr,
        [&] {
            return PMPI_Sendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype,
                                 source, recvtag, comm, status);
        },
        pmpi::to(dest), pmpi::from(source));
}

int MPI_Sendrecv_replace(void* buf, int count, MPI_Datatype datatype, int dest, int sendtag, int source,
                         int recvtag, MPI_Comm comm, MPI_Status* status)
{
    return pmpi::along_edges(
        "MPI_Sendrecv_replace", comm, nullptr,
        [&] {
            return PMPI_Sendrecv_replace(buf, count, datatype, dest, sendtag, source, recvtag, comm, status);
        },
        pmpi::to(dest), pmpi::from(source));
}

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
