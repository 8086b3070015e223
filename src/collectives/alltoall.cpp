// SPDX-License-Identifier: BSD-3-Clause
// ORTHO_Alltoall and ORTHO_Alltoallv in their three forms.

#include "collectives/forms.hpp"

using namespace ortho;

namespace {

struct Alltoall {
    const void* sendbuf;
    int sendcount;
    MPI_Datatype sendtype;
    void* recvbuf;
    int recvcount;
    MPI_Datatype recvtype;
    MPI_Comm comm;

    ORTHO_ON_MPI(PMPI_Alltoall, PMPI_Ialltoall, PMPI_Alltoall_init, sendbuf, sendcount, sendtype, recvbuf,
                 recvcount, recvtype, comm)
    void keep(collectives::Kept& kept)
    {
        if (sendbuf != MPI_IN_PLACE) kept.keep_type(sendtype);
        kept.keep_type(recvtype);
    }

    template <class Each>
    void list(Each& each, [[maybe_unused]] std::size_t in, [[maybe_unused]] std::size_t out) const
    {
        each.blocks(sendbuf, out, sendcount, sendtype);
        each.blocks(recvbuf, in, recvcount, recvtype);
    }
    bool may_be_dense() const { return sendbuf != MPI_IN_PLACE; }
    engine::Call describe(const collectives::Arguments& arguments) const
    {
        engine::Call call{.collective = planner::Collective::alltoall, .send = {}, .receive = {}};
        if (arguments.sends())
            call.send = arguments.regular(sendbuf, arguments.outdegree(), sendcount, sendtype,
                                          collectives::send_names);
        if (arguments.receives())
            call.receive = arguments.regular(recvbuf, arguments.indegree(), recvcount, recvtype,
                                             collectives::receive_names);
        arguments.check_distinct(call.send, call.receive);
        return call;
    }
};

struct Alltoallv {
    const void* sendbuf;
    const int* sendcounts;
    const int* sdispls;
    MPI_Datatype sendtype;
    void* recvbuf;
    const int* recvcounts;
    const int* rdispls;
    MPI_Datatype recvtype;
    MPI_Comm comm;

    ORTHO_ON_MPI(PMPI_Alltoallv, PMPI_Ialltoallv, PMPI_Alltoallv_init, sendbuf, sendcounts, sdispls, sendtype,
                 recvbuf, recvcounts, rdispls, recvtype, comm)
    void keep(collectives::Kept& kept)
    {
        const int n = collectives::partners_of(comm);
        if (sendbuf != MPI_IN_PLACE) {
            kept.keep(sendcounts, n);
            kept.keep(sdispls, n);
            kept.keep_type(sendtype);
        }
        kept.keep(recvcounts, n);
        kept.keep(rdispls, n);
        kept.keep_type(recvtype);
    }

    template <class Each>
    void list(Each& each, [[maybe_unused]] std::size_t in, [[maybe_unused]] std::size_t out) const
    {
        each.blocks(sendbuf, out, sendcounts, sdispls, sendtype);
        each.blocks(recvbuf, in, recvcounts, rdispls, recvtype);
    }
    bool may_be_dense() const { return sendbuf != MPI_IN_PLACE; }
    engine::Call describe(const collectives::Arguments& arguments) const
    {
        engine::Call call{
            .collective = planner::Collective::alltoall, .send = {}, .receive = {}, .irregular = true};
        if (arguments.sends())
            call.send = arguments.varying(sendbuf, arguments.targets(), sendcounts, sdispls, sendtype,
                                          collectives::send_names);
        if (arguments.receives())
            call.receive = arguments.varying(recvbuf, arguments.sources(), recvcounts, rdispls, recvtype,
                                             collectives::receive_names);
        return call;
    }
};

} // namespace

extern "C" {

int ORTHO_Alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                   MPI_Datatype recvtype, MPI_Comm comm)
{
    return collectives::blocking("ORTHO_Alltoall",
                                 Alltoall{sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm});
}

int ORTHO_Ialltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                    MPI_Datatype recvtype, MPI_Comm comm, ORTHO_Request* request)
{
    return collectives::nonblocking(
        "ORTHO_Ialltoall", Alltoall{sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm},
        request);
}

int ORTHO_Alltoall_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                        int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                        ORTHO_Request* request)
{
    return collectives::persistent("ORTHO_Alltoall_init",
                                   Alltoall{sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm},
                                   info, request);
}

int ORTHO_Alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                    void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
                    MPI_Comm comm)
{
    return collectives::blocking("ORTHO_Alltoallv", Alltoallv{sendbuf, sendcounts, sdispls, sendtype, recvbuf,
                                                              recvcounts, rdispls, recvtype, comm});
}

int ORTHO_Ialltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                     void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
                     MPI_Comm comm, ORTHO_Request* request)
{
    return collectives::nonblocking(
        "ORTHO_Ialltoallv",
        Alltoallv{sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm},
        request);
}

int ORTHO_Alltoallv_init(const void* sendbuf, const int sendcounts[], const int sdispls[],
                         MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[],
                         MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, ORTHO_Request* request)
{
    return collectives::persistent(
        "ORTHO_Alltoallv_init",
        Alltoallv{sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm}, info,
        request);
}

} // extern "C"
