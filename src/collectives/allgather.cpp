// SPDX-License-Identifier: BSD-3-Clause
// ORTHO_Allgather, ORTHO_Allgatherv and ORTHO_Allgatherw on a graph.

#include "collectives/call_traits.hpp"

namespace ortho::collectives {

namespace {

/// One block for all out-neighbors; the receive side is still to be described.
engine::Call describe_allgather(const Arguments& arguments, const void* sendbuf, MPI_Count sendcount,
                                MPI_Datatype sendtype, bool irregular)
{
    engine::Call call{
        .collective = planner::Collective::allgather, .send = {}, .receive = {}, .irregular = irregular};
    if (arguments.sends()) call.send = arguments.regular(sendbuf, 1, sendcount, sendtype, send_names);
    return call;
}

} // namespace

engine::Call Allgather::describe(const Arguments& arguments) const
{
    engine::Call call = describe_allgather(arguments, sendbuf, sendcount, sendtype, false);
    if (arguments.receives())
        call.receive = arguments.regular(recvbuf, arguments.indegree(), recvcount, recvtype, receive_names);
    arguments.check_distinct(call.send, call.receive);
    return call;
}

engine::Call Allgatherv::describe(const Arguments& arguments) const
{
    engine::Call call = describe_allgather(arguments, sendbuf, sendcount, sendtype, true);
    if (arguments.receives())
        call.receive = arguments.varying(recvbuf, arguments.sources(), recvcounts, displs, recvtype,
                                         {"recvbuf", "recvcount", "recvtype", "displs"});
    return call;
}

engine::Call Allgatherw::describe(const Arguments& arguments) const
{
    engine::Call call = describe_allgather(arguments, sendbuf, sendcount, sendtype, true);
    if (arguments.receives())
        call.receive = arguments.typed(recvbuf, arguments.sources(), recvcounts, rdispls, recvtypes,
                                       receive_names);
    return call;
}

} // namespace ortho::collectives
