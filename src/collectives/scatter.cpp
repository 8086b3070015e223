// SPDX-License-Identifier: BSD-3-Clause
// ORTHO_Scatter and ORTHO_Scatterv in their three forms.

#include "collectives/forms.hpp"

using namespace ortho;

namespace {

/// What both have in common: the root, and the one block of each out-neighbor of it.
engine::Call describe_scatter(const collectives::Arguments& arguments, void* recvbuf, int recvcount,
                              MPI_Datatype recvtype, int root)
{
    arguments.check_root(root);
    engine::Call call{.collective = planner::Collective::scatter, .send = {}, .receive = {}, .root = root};
    if (arguments.receives_from(root))
        call.receive = arguments.regular(recvbuf, 1, recvcount, recvtype, collectives::receive_names);
    return call;
}

struct Scatter {
    const void* sendbuf;
    int sendcount;
    MPI_Datatype sendtype;
    void* recvbuf;
    int recvcount;
    MPI_Datatype recvtype;
    int root;
    MPI_Comm comm;

    ORTHO_ON_MPI(PMPI_Scatter, PMPI_Iscatter, PMPI_Scatter_init, sendbuf, sendcount, sendtype, recvbuf,
                 recvcount, recvtype, root, comm)
    void keep(collectives::Kept& kept)
    {
        if (collectives::is_root(comm, root)) kept.keep_type(sendtype);
        if (recvbuf != MPI_IN_PLACE && collectives::is_leaf(comm, root)) kept.keep_type(recvtype);
    }

    engine::Call describe(const collectives::Arguments& arguments) const
    {
        engine::Call call = describe_scatter(arguments, recvbuf, recvcount, recvtype, root);
        if (arguments.rank() == root && arguments.sends())
            call.send = arguments.regular(sendbuf, arguments.outdegree(), sendcount, sendtype,
                                          collectives::send_names);
        return call;
    }
};

struct Scatterv {
    const void* sendbuf;
    const int* sendcounts;
    const int* displs;
    MPI_Datatype sendtype;
    void* recvbuf;
    int recvcount;
    MPI_Datatype recvtype;
    int root;
    MPI_Comm comm;

    ORTHO_ON_MPI(PMPI_Scatterv, PMPI_Iscatterv, PMPI_Scatterv_init, sendbuf, sendcounts, displs, sendtype,
                 recvbuf, recvcount, recvtype, root, comm)
    void keep(collectives::Kept& kept)
    {
        if (collectives::is_root(comm, root)) {
            const int n = collectives::partners_of(comm);
            kept.keep(sendcounts, n);
            kept.keep(displs, n);
            kept.keep_type(sendtype);
        }
        if (recvbuf != MPI_IN_PLACE && collectives::is_leaf(comm, root)) kept.keep_type(recvtype);
    }

    engine::Call describe(const collectives::Arguments& arguments) const
    {
        engine::Call call = describe_scatter(arguments, recvbuf, recvcount, recvtype, root);
        call.irregular = true;
        if (arguments.rank() == root && arguments.sends())
            call.send = arguments.varying(sendbuf, arguments.targets(), sendcounts, displs, sendtype,
                                          {"sendbuf", "sendcount", "sendtype", "displs"});
        return call;
    }
};

} // namespace

extern "C" {

int ORTHO_Scatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                  MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    return collectives::blocking(
        "ORTHO_Scatter", Scatter{sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm});
}

int ORTHO_Iscatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                   MPI_Datatype recvtype, int root, MPI_Comm comm, ORTHO_Request* request)
{
    return collectives::nonblocking(
        "ORTHO_Iscatter", Scatter{sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm},
        request);
}

int ORTHO_Scatter_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                       int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info,
                       ORTHO_Request* request)
{
    return collectives::persistent(
        "ORTHO_Scatter_init", Scatter{sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm},
        info, request);
}

int ORTHO_Scatterv(const void* sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype,
                   void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    return collectives::blocking("ORTHO_Scatterv", Scatterv{sendbuf, sendcounts, displs, sendtype, recvbuf,
                                                            recvcount, recvtype, root, comm});
}

int ORTHO_Iscatterv(const void* sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype,
                    void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                    ORTHO_Request* request)
{
    return collectives::nonblocking(
        "ORTHO_Iscatterv",
        Scatterv{sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm}, request);
}

int ORTHO_Scatterv_init(const void* sendbuf, const int sendcounts[], const int displs[],
                        MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype, int root,
                        MPI_Comm comm, MPI_Info info, ORTHO_Request* request)
{
    return collectives::persistent(
        "ORTHO_Scatterv_init",
        Scatterv{sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm}, info,
        request);
}

} // extern "C"
