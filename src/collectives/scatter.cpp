// SPDX-License-Identifier: BSD-3-Clause
// ORTHO_Scatter and ORTHO_Scatterv on a graph.

#include "calls/arguments.hpp"

namespace ortho::collectives {

namespace {

/// What both have in common: the root, and the one block of each out-neighbor of it.
engine::Call describe_scatter(const Arguments& arguments, void* recvbuf, MPI_Count recvcount,
                              MPI_Datatype recvtype, int root)
{
    arguments.check_root(root);
    engine::Call call{.collective = planner::Collective::scatter, .send = {}, .receive = {}, .root = root};
    if (arguments.receives_from(root))
        call.receive = arguments.regular(recvbuf, 1, recvcount, recvtype, receive_names);
    return call;
}

} // namespace

engine::Call Scatter::describe(const Arguments& arguments) const
{
    engine::Call call = describe_scatter(arguments, recvbuf, recvcount, recvtype, root);
    if (arguments.rank() == root && arguments.sends())
        call.send = arguments.regular(sendbuf, arguments.outdegree(), sendcount, sendtype, send_names);
    return call;
}

engine::Call Scatterv::describe(const Arguments& arguments) const
{
    engine::Call call = describe_scatter(arguments, recvbuf, recvcount, recvtype, root);
    call.irregular = true;
    if (arguments.rank() == root && arguments.sends())
        call.send = arguments.varying(sendbuf, arguments.targets(), sendcounts, displs, sendtype,
                                      {"sendbuf", "sendcount", "sendtype", "displs"});
    return call;
}

} // namespace ortho::collectives
