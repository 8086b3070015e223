// SPDX-License-Identifier: BSD-3-Clause
// Reductions on a graph.

#include "collectives/call_traits.hpp"

namespace ortho::collectives {

namespace {

using planner::Collective;

constexpr SideNames summed_names{"sendbuf", "count", "datatype", ""};
constexpr SideNames sum_names{"recvbuf", "count", "datatype", ""};

[[noreturn]] void refuse_prefix() { base::fail(base::ErrorKind::undefined, "comm", no_order); }

} // namespace

call::Call Reduce::describe(const ArgumentChecks& arguments) const
{
    arguments.check_root(root);
    arguments.check_operator(op, datatype, count);
    const bool is_root = arguments.rank() == root;
    call::Call call{.collective = Collective::reduce,
                    .root = root,
                    .op = op,
                    .element = call::BufferBlocks::regular(nullptr, 1, count, datatype)};
    call.in_place = is_root && sendbuf == MPI_IN_PLACE;
    if (is_root && arguments.receives())
        call.receive = arguments.regular(recvbuf, 1, count, datatype, sum_names);
    if (arguments.sends_to(root))
        call.send = call.in_place ? call.receive
                                  : arguments.regular(sendbuf, 1, count, datatype, summed_names);
    arguments.check_distinct(call.in_place ? call::BufferBlocks() : call.send, call.receive);
    return call;
}

call::Call Allreduce::describe(const ArgumentChecks& arguments) const
{
    arguments.check_operator(op, datatype, count);
    call::Call call{.collective = Collective::allreduce,
                    .op = op,
                    .element = call::BufferBlocks::regular(nullptr, 1, count, datatype)};
    call.in_place = sendbuf == MPI_IN_PLACE;
    if (arguments.receives()) call.receive = arguments.regular(recvbuf, 1, count, datatype, sum_names);
    if (arguments.sends())
        call.send = arguments.regular(call.in_place ? recvbuf : sendbuf, 1, count, datatype, summed_names);
    arguments.check_distinct(call.in_place ? call::BufferBlocks() : call.send, call.receive);
    return call;
}

call::Call Reduce_scatter_block::describe(const ArgumentChecks& arguments) const
{
    arguments.check_operator(op, datatype, recvcount, "recvcount");
    call::Call call{.collective = planner::Collective::reduce_scatter,
                    .op = op,
                    .element = call::BufferBlocks::regular(nullptr, 1, recvcount, datatype)};
    if (arguments.sends())
        call.send = arguments.regular(sendbuf, arguments.outdegree(), recvcount, datatype,
                                      {"sendbuf", "recvcount", "datatype", ""});
    if (arguments.receives())
        call.receive = arguments.regular(recvbuf, 1, recvcount, datatype,
                                         {"recvbuf", "recvcount", "datatype", ""});
    arguments.check_distinct(call.send, call.receive);
    return call;
}

call::Call Reduce_scatter::describe(const ArgumentChecks&) const
{
    base::fail(base::ErrorKind::undefined, "comm",
               "Reduce_scatter has no meaning on a graph; see ORTHO_Reduce_scatterv");
}

call::Call Scan::describe(const ArgumentChecks&) const { refuse_prefix(); }

call::Call Exscan::describe(const ArgumentChecks&) const { refuse_prefix(); }

} // namespace ortho::collectives
