// SPDX-License-Identifier: BSD-3-Clause
// Alltoall on any graph, with one message between any two nodes.  No MPI in this file.

#include "algorithm/algorithm.hpp"
#include "algorithm/conditions.hpp"
#include "algorithm/wires.hpp"

namespace ortho::algorithm {

extern const Algorithm alltoall_direct;

namespace {

/// Deliver blocks as alltoall_direct does, whose schedule it is.  Between nodes the engine has its messages
/// travel by wires (nodequeue/node_wires.hpp), of which there is one for any two nodes, or one for a process
/// and a node if much goes from node to node.
///
/// Shapes    those of alltoall_direct.
/// Result    one phase, as far as a schedule goes.
/// Cost      a node sends one message to each node that its edges lead to, and bytes that several processes
///           of that node want once.  Checked by tests/unit/wires_test.cpp.
/// Requires  that processes share memory on their nodes, and stay until the operation is over.
/// Errors    none of its own.
/// Source    issue 54; none of the papers.
schedule::Schedule build_alltoall_node_wires(const PlannerContext& context, const grid::LocalGraph& graph,
                                             const CallSpecification& specification, const Groups& groups)
{
    return alltoall_direct.build(context, graph, specification, groups);
}

} // namespace

extern const Algorithm alltoall_node_wires = {
    .name = "alltoall_node_wires",
    .collective = Collective::alltoall,
    .does = by_wires_between_nodes,
    .forwards = true,
    .by_wires = true,
    .why_not = wires_must_pay,
    .build = build_alltoall_node_wires,
};

} // namespace ortho::algorithm
