// SPDX-License-Identifier: BSD-3-Clause
// ORTHO_Alltoall, ORTHO_Alltoallv and ORTHO_Alltoallw on a graph.

#include "collectives/alltoallw_halo.hpp"
#include "collectives/call_traits.hpp"

namespace ortho::collectives {

engine::Call Alltoall::describe(const Arguments& arguments) const
{
    engine::Call call{.collective = planner::Collective::alltoall, .send = {}, .receive = {}};
    if (arguments.sends())
        call.send = arguments.regular(sendbuf, arguments.outdegree(), sendcount, sendtype, send_names);
    if (arguments.receives())
        call.receive = arguments.regular(recvbuf, arguments.indegree(), recvcount, recvtype, receive_names);
    arguments.check_distinct(call.send, call.receive);
    return call;
}

engine::Call Alltoallv::describe(const Arguments& arguments) const
{
    engine::Call call{
        .collective = planner::Collective::alltoall, .send = {}, .receive = {}, .irregular = true};
    if (arguments.sends())
        call.send = arguments.varying(sendbuf, arguments.targets(), sendcounts, sdispls, sendtype,
                                      send_names);
    if (arguments.receives())
        call.receive = arguments.varying(recvbuf, arguments.sources(), recvcounts, rdispls, recvtype,
                                         receive_names);
    return call;
}

engine::Call Alltoallw::describe(const Arguments& arguments) const
{
    engine::Call call{
        .collective = planner::Collective::alltoall, .send = {}, .receive = {}, .irregular = true};
    if (arguments.sends())
        call.send = arguments.typed(sendbuf, arguments.targets(), sendcounts, sdispls, sendtypes, send_names);
    if (arguments.receives())
        call.receive = arguments.typed(recvbuf, arguments.sources(), recvcounts, rdispls, recvtypes,
                                       receive_names);
    return call;
}

std::shared_ptr<engine::Call> alternative(const Alltoallw&, topology::Graph& graph,
                                          const engine::Call& alltoall)
{
    return find_halo(graph, alltoall);
}

} // namespace ortho::collectives
