// SPDX-License-Identifier: BSD-3-Clause
// ORTHO_Reduce, ORTHO_Allreduce.

#include "collectives/arguments.hpp"
#include "mpiortho.h"

using namespace ortho;
using collectives::Arguments;
using planner::Collective;

namespace {

constexpr collectives::SideNames send_names{"sendbuf", "count", "datatype", ""};
constexpr collectives::SideNames receive_names{"recvbuf", "count", "datatype", ""};

} // namespace

extern "C" {

int ORTHO_Reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root,
                 MPI_Comm comm)
{
    if (topology::collective_topology(comm) != ORTHO_GRAPH)
        return PMPI_Reduce(sendbuf, recvbuf, count, datatype, op, root, comm);
    return mpi::guard("ORTHO_Reduce", comm, [&] {
        const Arguments arguments(comm);
        arguments.check_root(root);
        arguments.check_operator(op, datatype, count);
        const bool is_root = arguments.rank() == root;
        engine::Call call{.collective = Collective::reduce, .send = {}, .receive = {}, .root = root, .op = op};
        call.in_place = is_root && sendbuf == MPI_IN_PLACE;
        if (is_root && arguments.receives())
            call.receive = arguments.regular(recvbuf, 1, count, datatype, receive_names);
        if (arguments.sends_to(root))
            call.send = call.in_place ? call.receive
                                      : arguments.regular(sendbuf, 1, count, datatype, send_names);
        arguments.check_distinct(call.in_place ? engine::Blocks() : call.send, call.receive);
        arguments.run(call);
    });
}

int ORTHO_Allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                    MPI_Comm comm)
{
    if (topology::collective_topology(comm) != ORTHO_GRAPH)
        return PMPI_Allreduce(sendbuf, recvbuf, count, datatype, op, comm);
    return mpi::guard("ORTHO_Allreduce", comm, [&] {
        const Arguments arguments(comm);
        arguments.check_operator(op, datatype, count);
        engine::Call call{.collective = Collective::allreduce, .send = {}, .receive = {}, .op = op};
        call.in_place = sendbuf == MPI_IN_PLACE;
        if (arguments.receives())
            call.receive = arguments.regular(recvbuf, 1, count, datatype, receive_names);
        if (arguments.sends())
            call.send = arguments.regular(call.in_place ? recvbuf : sendbuf, 1, count, datatype, send_names);
        arguments.check_distinct(call.in_place ? engine::Blocks() : call.send, call.receive);
        arguments.run(call);
    });
}

} // extern "C"
