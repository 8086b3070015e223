// SPDX-License-Identifier: BSD-3-Clause
// ORTHO_Gather and ORTHO_Gatherv in their three forms.

#include "collectives/forms.hpp"

using namespace ortho;

namespace {

/// What both have in common: the root, and the one block of each in-neighbor of it.
engine::Call describe_gather(const collectives::Arguments& arguments, const void* sendbuf, int sendcount,
                             MPI_Datatype sendtype, int root)
{
    arguments.check_root(root);
    engine::Call call{.collective = planner::Collective::gather, .send = {}, .receive = {}, .root = root};
    if (arguments.sends_to(root))
        call.send = arguments.regular(sendbuf, 1, sendcount, sendtype, collectives::send_names);
    return call;
}

struct Gather {
    const void* sendbuf;
    int sendcount;
    MPI_Datatype sendtype;
    void* recvbuf;
    int recvcount;
    MPI_Datatype recvtype;
    int root;
    MPI_Comm comm;

    ORTHO_ON_MPI(PMPI_Gather, PMPI_Igather, PMPI_Gather_init, sendbuf, sendcount, sendtype, recvbuf,
                 recvcount, recvtype, root, comm)
    void keep(collectives::Kept& kept)
    {
        if (collectives::is_root(comm, root)) kept.keep_type(recvtype);
        if (sendbuf != MPI_IN_PLACE && collectives::is_leaf(comm, root)) kept.keep_type(sendtype);
    }

    engine::Call describe(const collectives::Arguments& arguments) const
    {
        engine::Call call = describe_gather(arguments, sendbuf, sendcount, sendtype, root);
        if (arguments.rank() == root && arguments.receives())
            call.receive = arguments.regular(recvbuf, arguments.indegree(), recvcount, recvtype,
                                             collectives::receive_names);
        return call;
    }
};

struct Gatherv {
    const void* sendbuf;
    int sendcount;
    MPI_Datatype sendtype;
    void* recvbuf;
    const int* recvcounts;
    const int* displs;
    MPI_Datatype recvtype;
    int root;
    MPI_Comm comm;

    ORTHO_ON_MPI(PMPI_Gatherv, PMPI_Igatherv, PMPI_Gatherv_init, sendbuf, sendcount, sendtype, recvbuf,
                 recvcounts, displs, recvtype, root, comm)
    void keep(collectives::Kept& kept)
    {
        if (collectives::is_root(comm, root)) {
            const int n = collectives::partners_of(comm);
            kept.keep(recvcounts, n);
            kept.keep(displs, n);
            kept.keep_type(recvtype);
        }
        if (sendbuf != MPI_IN_PLACE && collectives::is_leaf(comm, root)) kept.keep_type(sendtype);
    }

    engine::Call describe(const collectives::Arguments& arguments) const
    {
        engine::Call call = describe_gather(arguments, sendbuf, sendcount, sendtype, root);
        call.irregular = true;
        if (arguments.rank() == root && arguments.receives())
            call.receive = arguments.varying(recvbuf, arguments.sources(), recvcounts, displs, recvtype,
                                             {"recvbuf", "recvcount", "recvtype", "displs"});
        return call;
    }
};

} // namespace

extern "C" {

int ORTHO_Gather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                 MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    return collectives::blocking(
        "ORTHO_Gather", Gather{sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm});
}

int ORTHO_Igather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                  MPI_Datatype recvtype, int root, MPI_Comm comm, ORTHO_Request* request)
{
    return collectives::nonblocking(
        "ORTHO_Igather", Gather{sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm},
        request);
}

int ORTHO_Gather_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                      MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, ORTHO_Request* request)
{
    return collectives::persistent(
        "ORTHO_Gather_init", Gather{sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm},
        info, request);
}

int ORTHO_Gatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                  const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    return collectives::blocking("ORTHO_Gatherv", Gatherv{sendbuf, sendcount, sendtype, recvbuf, recvcounts,
                                                          displs, recvtype, root, comm});
}

int ORTHO_Igatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                   const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm,
                   ORTHO_Request* request)
{
    return collectives::nonblocking(
        "ORTHO_Igatherv",
        Gatherv{sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm}, request);
}

int ORTHO_Gatherv_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                       const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
                       MPI_Comm comm, MPI_Info info, ORTHO_Request* request)
{
    return collectives::persistent(
        "ORTHO_Gatherv_init",
        Gatherv{sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm}, info,
        request);
}

} // extern "C"
