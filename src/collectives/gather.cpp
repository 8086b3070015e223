// SPDX-License-Identifier: BSD-3-Clause
// ORTHO_Gather, ORTHO_Gatherv.

#include "collectives/arguments.hpp"
#include "mpiortho.h"

using namespace ortho;
using planner::Collective;

namespace {

/// What both have in common: the root, and the one block of each in-neighbor of it.
engine::Call gather(const collectives::Arguments& arguments, const void* sendbuf, int sendcount,
                    MPI_Datatype sendtype, int root)
{
    arguments.check_root(root);
    engine::Call call{.collective = Collective::gather, .send = {}, .receive = {}, .root = root};
    if (arguments.sends_to(root))
        call.send = arguments.regular(sendbuf, 1, sendcount, sendtype, collectives::send_names);
    return call;
}

} // namespace

extern "C" {

int ORTHO_Gather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                 MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    if (topology::collective_topology(comm) != ORTHO_GRAPH)
        return PMPI_Gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
    return mpi::guard("ORTHO_Gather", comm, [&] {
        const collectives::Arguments arguments(comm);
        engine::Call call = gather(arguments, sendbuf, sendcount, sendtype, root);
        if (arguments.rank() == root && arguments.receives())
            call.receive = arguments.regular(recvbuf, arguments.indegree(), recvcount, recvtype,
                                             collectives::receive_names);
        arguments.run(call);
    });
}

int ORTHO_Gatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                  const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
                  MPI_Comm comm)
{
    if (topology::collective_topology(comm) != ORTHO_GRAPH)
        return PMPI_Gatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm);
    return mpi::guard("ORTHO_Gatherv", comm, [&] {
        const collectives::Arguments arguments(comm);
        engine::Call call = gather(arguments, sendbuf, sendcount, sendtype, root);
        call.irregular = true;
        if (arguments.rank() == root && arguments.receives())
            call.receive = arguments.varying(recvbuf, arguments.sources(), recvcounts, displs, recvtype,
                                             {"recvbuf", "recvcount", "recvtype", "displs"});
        arguments.run(call);
    });
}

} // extern "C"
