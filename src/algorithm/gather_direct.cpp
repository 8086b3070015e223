// SPDX-License-Identifier: BSD-3-Clause
// Gather on any graph: from the root's in-neighbors.  No MPI in this file.

#include <utility>

#include "algorithm/algorithm.hpp"
#include "algorithm/edge_bundles.hpp"
#include "schedule/builder.hpp"

namespace ortho::algorithm {

using schedule::Builder;

extern const Algorithm allgather_direct;

namespace {

/// Delivers a block along every in-edge of the root; nobody else does anything.
///
/// A process that is an in-neighbor several times sends its block once, and the root copies it.
///
/// Shapes    send slot 0; receive slots: the root's in-edges.
/// Result    at most one phase; self-edges are copied meanwhile, repeated ones afterwards.
/// Cost      C = V <= 1 at an in-neighbor.
/// Requires  nothing.
/// Source    J. L. Traff et al., orthogonality paper, 2 and Listing 2.
schedule::Schedule build_gather_direct(const PlannerContext& context, const grid::LocalGraph& graph,
                                       const CallSpecification& specification, const Groups& groups)
{
    if (graph.rank == specification.root) {
        // The root gathers as in an allgather without out-neighbors.
        return allgather_direct.build(context, {graph.rank, graph.sources, {}}, specification, groups);
    }
    Builder out = Builder::on_graph();
    out.begin_phase();
    send_to(out, graph, specification.root);
    return std::move(out).finish();
}

} // namespace

extern const Algorithm gather_direct = {
    .name = "gather_direct",
    .collective = Collective::gather,
    .does = "sends the root one message from each of its in-neighbors",
    .build = build_gather_direct,
};

} // namespace ortho::algorithm
