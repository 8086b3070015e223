// SPDX-License-Identifier: BSD-3-Clause
// Halo exchange with one message between any two nodes.  No MPI in this file.

#include "algorithm/algorithm.hpp"
#include "algorithm/conditions.hpp"
#include "algorithm/halo_route.hpp"
#include "algorithm/node_pairs.hpp"

namespace ortho::algorithm {

namespace {

/// Fills every ghost region from the process that owns its cells.  All cells from one node to another travel
/// in one message between an agent on each of the two.
///
/// Shapes    slots as in halo_direct; `nodes`: of all processes of the grid.
/// Result    at most 3 phases: on nodes, between them, on nodes; regions that lead to oneself are copied
///           meanwhile.
/// Cost      a node sends one message to each node that its regions lead to, and each region once; on nodes a
///           region is sent once more for each end of which its process is not the agent.  Checked by
///           tests/unit/algorithm_node_pairs_test.cpp.
/// Requires  equal sizes of equal regions everywhere: agents hold those of others.
/// Source    none of the papers.  NodePairs says who is an agent.
schedule::Schedule build_halo_node_pairs(const PlannerContext& context, const grid::LocalGraph& graph,
                                         const CallSpecification& specification, const Groups&)
{
    const grid::Halo& halo = *specification.halo;
    schedule::Builder out = schedule::Builder::on_grid(halo.grid.dimensions());
    send_from_owned_cells(halo, out);
    const grid::Neighborhood neighborhood{halo.grid, halo.steps()};
    return NodePairs(neighborhood, *context.layout.nodes, true).schedule_of(graph.rank, std::move(out));
}

WhyNot why_not(const PlannerContext& context, const CallSpecification& specification)
{
    if (const WhyNot why_not = several_nodes(context); why_not != WhyNot::nothing) return why_not;
    if (specification.compared != Compared::equal) return WhyNot::regions_differ;
    const grid::Halo& halo = *specification.halo;
    return few_edges({halo.grid, halo.steps()}, *context.layout.nodes);
}

} // namespace

extern const Algorithm halo_node_pairs = {
    .name = "halo_node_pairs",
    .collective = Collective::halo,
    .does = "collects cells on each node, and sends one message to each other node that wants some",
    .slots = Slots::regions,
    .forwards = true,
    .depends_on_nodes = true,
    .why_not = why_not,
    .build = build_halo_node_pairs,
};

} // namespace ortho::algorithm
