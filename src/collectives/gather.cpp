// SPDX-License-Identifier: BSD-3-Clause
// ORTHO_Gather and ORTHO_Gatherv on a graph.

#include "calls/arguments.hpp"

namespace ortho::collectives {

namespace {

/// What both have in common: the root, and the one block of each in-neighbor of it.
engine::Call describe_gather(const Arguments& arguments, const void* sendbuf, MPI_Count sendcount,
                             MPI_Datatype sendtype, int root)
{
    arguments.check_root(root);
    engine::Call call{.collective = planner::Collective::gather, .send = {}, .receive = {}, .root = root};
    if (arguments.sends_to(root)) call.send = arguments.regular(sendbuf, 1, sendcount, sendtype, send_names);
    return call;
}

} // namespace

engine::Call Gather::describe(const Arguments& arguments) const
{
    engine::Call call = describe_gather(arguments, sendbuf, sendcount, sendtype, root);
    if (arguments.rank() == root && arguments.receives())
        call.receive = arguments.regular(recvbuf, arguments.indegree(), recvcount, recvtype, receive_names);
    return call;
}

engine::Call Gatherv::describe(const Arguments& arguments) const
{
    engine::Call call = describe_gather(arguments, sendbuf, sendcount, sendtype, root);
    call.irregular = true;
    if (arguments.rank() == root && arguments.receives())
        call.receive = arguments.varying(recvbuf, arguments.sources(), recvcounts, displs, recvtype,
                                         {"recvbuf", "recvcount", "recvtype", "displs"});
    return call;
}

} // namespace ortho::collectives
