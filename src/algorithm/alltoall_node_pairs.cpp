// SPDX-License-Identifier: BSD-3-Clause
// Stencil alltoall with one message between any two nodes.  No MPI in this file.

#include "algorithm/algorithm.hpp"
#include "algorithm/conditions.hpp"
#include "algorithm/node_pairs.hpp"

namespace ortho::algorithm {

namespace {

/// Delivers block i of every process to the process offset i away.  All blocks from one node to another
/// travel in one message between an agent on each of the two.
///
/// Shapes    send, receive slots: canonical indices 0..t-1; `nodes`: of all processes of the grid.
/// Result    at most 3 phases: on nodes, between them, on nodes; zero offsets are copied meanwhile.
/// Cost      a node sends one message to each node that its offsets lead to, and each block once; on nodes a
///           block is sent once more for each end of which its process is not the agent.  Checked by
///           tests/unit/algorithm_node_pairs_test.cpp.
/// Requires  equal block sizes for equal indices everywhere.
/// Source    none of the papers.  NodePairs says who is an agent.
schedule::Schedule build_alltoall_node_pairs(const PlannerContext& context, const grid::LocalGraph& graph,
                                             const CallSpecification&, const Groups&)
{
    return NodePairs(*context.neighborhood, *context.layout.nodes, true).schedule_of(graph.rank);
}

} // namespace

extern const Algorithm alltoall_node_pairs = {
    .name = "alltoall_node_pairs",
    .collective = Collective::alltoall,
    .does = blocks_by_nodes,
    .slots = Slots::canonical,
    .forwards = true,
    .depends_on_nodes = true,
    .why_not = nodes_must_be_known,
    .build = build_alltoall_node_pairs,
};

} // namespace ortho::algorithm
