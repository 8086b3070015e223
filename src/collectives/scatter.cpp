// SPDX-License-Identifier: BSD-3-Clause
// ORTHO_Scatter, ORTHO_Scatterv.

#include "collectives/arguments.hpp"
#include "mpiortho.h"

using namespace ortho;
using planner::Collective;

namespace {

/// What both have in common: the root, and the one block of each out-neighbor of it.
engine::Call scatter(const collectives::Arguments& arguments, void* recvbuf, int recvcount,
                     MPI_Datatype recvtype, int root)
{
    arguments.check_root(root);
    engine::Call call{.collective = Collective::scatter, .send = {}, .receive = {}, .root = root};
    if (arguments.receives_from(root))
        call.receive = arguments.regular(recvbuf, 1, recvcount, recvtype, collectives::receive_names);
    return call;
}

} // namespace

extern "C" {

int ORTHO_Scatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                  MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    if (topology::collective_topology(comm) != ORTHO_GRAPH)
        return PMPI_Scatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
    return mpi::guard("ORTHO_Scatter", comm, [&] {
        const collectives::Arguments arguments(comm);
        engine::Call call = scatter(arguments, recvbuf, recvcount, recvtype, root);
        if (arguments.rank() == root && arguments.sends())
            call.send = arguments.regular(sendbuf, arguments.outdegree(), sendcount, sendtype,
                                          collectives::send_names);
        arguments.run(call);
    });
}

int ORTHO_Scatterv(const void* sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype,
                   void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    if (topology::collective_topology(comm) != ORTHO_GRAPH)
        return PMPI_Scatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm);
    return mpi::guard("ORTHO_Scatterv", comm, [&] {
        const collectives::Arguments arguments(comm);
        engine::Call call = scatter(arguments, recvbuf, recvcount, recvtype, root);
        call.irregular = true;
        if (arguments.rank() == root && arguments.sends())
            call.send = arguments.varying(sendbuf, arguments.targets(), sendcounts, displs, sendtype,
                                          {"sendbuf", "sendcount", "sendtype", "displs"});
        arguments.run(call);
    });
}

} // extern "C"
