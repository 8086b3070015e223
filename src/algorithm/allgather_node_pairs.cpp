// SPDX-License-Identifier: BSD-3-Clause
// Stencil allgather with one message between any two nodes.  No MPI in this file.

#include "algorithm/algorithm.hpp"
#include "algorithm/conditions.hpp"
#include "algorithm/node_pairs.hpp"

namespace ortho::algorithm {

namespace {

/// Delivers the block of every process to all processes that its offsets lead to.  All blocks from one node
/// to another travel in one message between an agent on each of the two.  A block goes to a node once,
/// however many processes want it there.
///
/// Shapes    send slot 0; receive slots: canonical indices 0..t-1; `nodes`: of all processes of the grid.
/// Result    at most 3 phases: on nodes, between them, on nodes; zero offsets are copied meanwhile, repeated
///           ones at the end of the phase in which their block arrives.
/// Cost      a node sends one message to each node that its offsets lead to, with a block of each process
///           that has a neighbor there.  Checked by tests/unit/algorithm_node_pairs_test.cpp.
/// Requires  one block size everywhere.
/// Source    none of the papers.  NodePairs says who is an agent.
schedule::Schedule build_allgather_node_pairs(const PlannerContext& context, const grid::LocalGraph& graph,
                                              const CallSpecification&, const Groups&)
{
    return NodePairs(*context.neighborhood, *context.layout.nodes, false).schedule_of(graph.rank);
}

} // namespace

extern const Algorithm allgather_node_pairs = {
    .name = "allgather_node_pairs",
    .collective = Collective::allgather,
    .does = blocks_by_nodes,
    .slots = Slots::canonical,
    .forwards = true,
    .depends_on_nodes = true,
    .why_not = nodes_must_be_known,
    .build = build_allgather_node_pairs,
};

} // namespace ortho::algorithm
