// SPDX-License-Identifier: BSD-3-Clause
// ORTHO_Allgather, ORTHO_Allgatherv, ORTHO_Allgatherw.

#include "collectives/arguments.hpp"
#include "collectives/folded.hpp"
#include "mpi/comm.hpp"
#include "mpiortho.h"

using namespace ortho;
using planner::Collective;

namespace {

/// What all three have in common: one block for all out-neighbors.
engine::Call allgather(const collectives::Arguments& arguments, const void* sendbuf, int sendcount,
                       MPI_Datatype sendtype, bool irregular)
{
    engine::Call call{.collective = Collective::allgather, .send = {}, .receive = {}, .irregular = irregular};
    if (arguments.sends())
        call.send = arguments.regular(sendbuf, 1, sendcount, sendtype, collectives::send_names);
    return call;
}

/// On intra- and inter-communicators MPI has no MPI_Allgatherw; MPI_Alltoallw of one block will do.
void allgatherw_by_alltoallw(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                             const int recvcounts[], const MPI_Aint rdispls[],
                             const MPI_Datatype recvtypes[], MPI_Comm comm)
{
    mpi::require_result(recvcounts, "recvcounts");
    mpi::require_result(rdispls, "rdispls");
    mpi::require_result(recvtypes, "recvtypes");
    const bool inter = mpi::is_inter(comm);
    int partners = mpi::size_of(comm);
    if (inter) mpi::check_users(PMPI_Comm_remote_size(comm, &partners));
    const int self = inter ? -1 : mpi::rank_of(comm);
    const bool in_place = sendbuf == MPI_IN_PLACE;
    base::require(!(in_place && inter), base::ErrorKind::buffer, "sendbuf",
                  "sendbuf is MPI_IN_PLACE on an inter-communicator");

    mpi::Datatype absolute;
    if (in_place) {
        // The block lies in the receive buffer already.  By its absolute address, since MPI would
        // take a send buffer that is the receive buffer for a mistake.
        MPI_Aint address = 0;
        mpi::check(PMPI_Get_address(recvbuf, &address));
        address = MPI_Aint_add(address, rdispls[self]);
        MPI_Datatype made = MPI_DATATYPE_NULL;
        mpi::check_users(
            PMPI_Type_create_hindexed(1, &recvcounts[self], &address, recvtypes[self], &made));
        absolute = mpi::Datatype(made);
        mpi::check(PMPI_Type_commit(&made));
        sendbuf = MPI_BOTTOM;
        sendcount = 1;
        sendtype = made;
    }
    collectives::Folded send;
    collectives::Folded receive;
    for (int i = 0; i < partners; ++i) {
        const bool stays = in_place && i == self;
        send.add(stays ? 0 : sendcount, 0, sendtype);
        receive.add(stays ? 0 : recvcounts[i], rdispls[i], recvtypes[i]);
    }
    mpi::check_users(PMPI_Alltoallw(sendbuf, send.counts(), send.displacements(), send.types(), recvbuf,
                                    receive.counts(), receive.displacements(), receive.types(), comm));
}

} // namespace

extern "C" {

int ORTHO_Allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                    int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    if (topology::collective_topology(comm) != ORTHO_GRAPH)
        return PMPI_Allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
    return mpi::guard("ORTHO_Allgather", comm, [&] {
        const collectives::Arguments arguments(comm);
        engine::Call call = allgather(arguments, sendbuf, sendcount, sendtype, false);
        if (arguments.receives())
            call.receive = arguments.regular(recvbuf, arguments.indegree(), recvcount, recvtype,
                                             collectives::receive_names);
        arguments.check_distinct(call.send, call.receive);
        arguments.run(call);
    });
}

int ORTHO_Allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                     const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm)
{
    if (topology::collective_topology(comm) != ORTHO_GRAPH)
        return PMPI_Allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm);
    return mpi::guard("ORTHO_Allgatherv", comm, [&] {
        const collectives::Arguments arguments(comm);
        engine::Call call = allgather(arguments, sendbuf, sendcount, sendtype, true);
        if (arguments.receives())
            call.receive = arguments.varying(recvbuf, arguments.sources(), recvcounts, displs, recvtype,
                                             {"recvbuf", "recvcount", "recvtype", "displs"});
        arguments.run(call);
    });
}

int ORTHO_Allgatherw(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                     const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                     MPI_Comm comm)
{
    return mpi::guard("ORTHO_Allgatherw", comm, [&] {
        if (topology::collective_topology(comm) != ORTHO_GRAPH) {
            allgatherw_by_alltoallw(sendbuf, sendcount, sendtype, recvbuf, recvcounts, rdispls, recvtypes,
                                    comm);
            return;
        }
        const collectives::Arguments arguments(comm);
        engine::Call call = allgather(arguments, sendbuf, sendcount, sendtype, true);
        if (arguments.receives())
            call.receive = arguments.typed(recvbuf, arguments.sources(), recvcounts, rdispls, recvtypes,
                                           collectives::receive_names);
        arguments.run(call);
    });
}

} // extern "C"
