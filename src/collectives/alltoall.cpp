// SPDX-License-Identifier: BSD-3-Clause
// ORTHO_Alltoall, ORTHO_Alltoallv, ORTHO_Alltoallw.

#include "collectives/arguments.hpp"
#include "collectives/folded.hpp"
#include "mpi/comm.hpp"
#include "mpiortho.h"

using namespace ortho;
using collectives::Arguments;
using planner::Collective;

namespace {

/// MPI_Alltoallw with displacements of any size.
void alltoallw_on_mpi(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                      const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                      const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm)
{
    int partners = mpi::size_of(comm);
    if (mpi::is_inter(comm)) mpi::check_users(PMPI_Comm_remote_size(comm, &partners));
    collectives::Folded send;
    collectives::Folded receive;
    mpi::require_result(recvcounts, "recvcounts");
    mpi::require_result(rdispls, "rdispls");
    mpi::require_result(recvtypes, "recvtypes");
    for (int i = 0; i < partners; ++i) receive.add(recvcounts[i], rdispls[i], recvtypes[i]);
    if (sendbuf != MPI_IN_PLACE) {
        mpi::require_result(sendcounts, "sendcounts");
        mpi::require_result(sdispls, "sdispls");
        mpi::require_result(sendtypes, "sendtypes");
        for (int i = 0; i < partners; ++i) send.add(sendcounts[i], sdispls[i], sendtypes[i]);
    }
    mpi::check_users(PMPI_Alltoallw(sendbuf, send.counts(), send.displacements(), send.types(), recvbuf,
                                    receive.counts(), receive.displacements(), receive.types(), comm));
}

} // namespace

extern "C" {

int ORTHO_Alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                   MPI_Datatype recvtype, MPI_Comm comm)
{
    if (topology::collective_topology(comm) != ORTHO_GRAPH)
        return PMPI_Alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
    return mpi::guard("ORTHO_Alltoall", comm, [&] {
        const Arguments arguments(comm);
        engine::Call call{.collective = Collective::alltoall, .send = {}, .receive = {}};
        if (arguments.sends())
            call.send = arguments.regular(sendbuf, arguments.outdegree(), sendcount, sendtype,
                                          collectives::send_names);
        if (arguments.receives())
            call.receive = arguments.regular(recvbuf, arguments.indegree(), recvcount, recvtype,
                                             collectives::receive_names);
        arguments.check_distinct(call.send, call.receive);
        arguments.run(call);
    });
}

int ORTHO_Alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                    void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
                    MPI_Comm comm)
{
    if (topology::collective_topology(comm) != ORTHO_GRAPH)
        return PMPI_Alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                              comm);
    return mpi::guard("ORTHO_Alltoallv", comm, [&] {
        const Arguments arguments(comm);
        engine::Call call{.collective = Collective::alltoall, .send = {}, .receive = {}, .irregular = true};
        if (arguments.sends())
            call.send = arguments.varying(sendbuf, arguments.targets(), sendcounts, sdispls, sendtype,
                                          collectives::send_names);
        if (arguments.receives())
            call.receive = arguments.varying(recvbuf, arguments.sources(), recvcounts, rdispls, recvtype,
                                             collectives::receive_names);
        arguments.run(call);
    });
}

int ORTHO_Alltoallw(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                    const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                    const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm)
{
    return mpi::guard("ORTHO_Alltoallw", comm, [&] {
        if (topology::collective_topology(comm) != ORTHO_GRAPH) {
            alltoallw_on_mpi(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                             recvtypes, comm);
            return;
        }
        const Arguments arguments(comm);
        engine::Call call{.collective = Collective::alltoall, .send = {}, .receive = {}, .irregular = true};
        if (arguments.sends())
            call.send = arguments.typed(sendbuf, arguments.targets(), sendcounts, sdispls, sendtypes,
                                        collectives::send_names);
        if (arguments.receives())
            call.receive = arguments.typed(recvbuf, arguments.sources(), recvcounts, rdispls, recvtypes,
                                           collectives::receive_names);
        arguments.run(call);
    });
}

} // extern "C"
