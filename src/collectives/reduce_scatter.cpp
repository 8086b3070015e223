// SPDX-License-Identifier: BSD-3-Clause
// ORTHO_Reduce_scatter_block and ORTHO_Reduce_scatter in their three forms.

#include "collectives/forms.hpp"

using namespace ortho;
using collectives::Arguments;

namespace {

struct ReduceScatterBlock {
    const void* sendbuf;
    void* recvbuf;
    int recvcount;
    MPI_Datatype datatype;
    MPI_Op op;
    MPI_Comm comm;

    ORTHO_ON_MPI(PMPI_Reduce_scatter_block, PMPI_Ireduce_scatter_block, PMPI_Reduce_scatter_block_init,
                 sendbuf, recvbuf, recvcount, datatype, op, comm)
    void keep(collectives::Kept& kept) { kept.keep_type(datatype); }

    engine::Call describe(const Arguments& arguments) const
    {
        constexpr collectives::SideNames send_names{"sendbuf", "recvcount", "datatype", ""};
        constexpr collectives::SideNames receive_names{"recvbuf", "recvcount", "datatype", ""};
        arguments.check_operator(op, datatype, recvcount, "recvcount");
        engine::Call call{.collective = planner::Collective::reduce_scatter,
                          .send = {},
                          .receive = {},
                          .op = op,
                          .element = engine::Blocks::regular(nullptr, 1, recvcount, datatype)};
        if (arguments.sends())
            call.send = arguments.regular(sendbuf, arguments.outdegree(), recvcount, datatype, send_names);
        if (arguments.receives())
            call.receive = arguments.regular(recvbuf, 1, recvcount, datatype, receive_names);
        arguments.check_distinct(call.send, call.receive);
        return call;
    }
};

struct ReduceScatter {
    const void* sendbuf;
    void* recvbuf;
    const int* recvcounts;
    MPI_Datatype datatype;
    MPI_Op op;
    MPI_Comm comm;

    ORTHO_ON_MPI(PMPI_Reduce_scatter, PMPI_Ireduce_scatter, PMPI_Reduce_scatter_init, sendbuf, recvbuf,
                 recvcounts, datatype, op, comm)
    void keep(collectives::Kept& kept)
    {
        // One entry for each process of the local group, on inter-communicators too.
        kept.keep(recvcounts, mpi::size_of(comm));
        kept.keep_type(datatype);
    }

    engine::Call describe(const Arguments&) const
    {
        base::fail(base::ErrorKind::undefined, "comm",
                   "Reduce_scatter has no meaning on a graph; see ORTHO_Reduce_scatterv");
    }
};

} // namespace

extern "C" {

int ORTHO_Reduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype datatype,
                               MPI_Op op, MPI_Comm comm)
{
    return collectives::blocking("ORTHO_Reduce_scatter_block",
                                 ReduceScatterBlock{sendbuf, recvbuf, recvcount, datatype, op, comm});
}

int ORTHO_Ireduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype datatype,
                                MPI_Op op, MPI_Comm comm, ORTHO_Request* request)
{
    return collectives::nonblocking("ORTHO_Ireduce_scatter_block",
                                    ReduceScatterBlock{sendbuf, recvbuf, recvcount, datatype, op, comm},
                                    request);
}

int ORTHO_Reduce_scatter_block_init(const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype datatype,
                                    MPI_Op op, MPI_Comm comm, MPI_Info info, ORTHO_Request* request)
{
    return collectives::persistent("ORTHO_Reduce_scatter_block_init",
                                   ReduceScatterBlock{sendbuf, recvbuf, recvcount, datatype, op, comm}, info,
                                   request);
}

int ORTHO_Reduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[], MPI_Datatype datatype,
                         MPI_Op op, MPI_Comm comm)
{
    return collectives::blocking("ORTHO_Reduce_scatter",
                                 ReduceScatter{sendbuf, recvbuf, recvcounts, datatype, op, comm});
}

int ORTHO_Ireduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[], MPI_Datatype datatype,
                          MPI_Op op, MPI_Comm comm, ORTHO_Request* request)
{
    return collectives::nonblocking("ORTHO_Ireduce_scatter",
                                    ReduceScatter{sendbuf, recvbuf, recvcounts, datatype, op, comm}, request);
}

int ORTHO_Reduce_scatter_init(const void* sendbuf, void* recvbuf, const int recvcounts[],
                              MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info,
                              ORTHO_Request* request)
{
    return collectives::persistent("ORTHO_Reduce_scatter_init",
                                   ReduceScatter{sendbuf, recvbuf, recvcounts, datatype, op, comm}, info,
                                   request);
}

} // extern "C"
