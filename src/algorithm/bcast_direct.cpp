// SPDX-License-Identifier: BSD-3-Clause
// Broadcast on any graph: from the root to its out-neighbors.  No MPI in this file.

#include <utility>

#include "algorithm/algorithm.hpp"
#include "algorithm/edge_bundles.hpp"
#include "schedule/builder.hpp"

namespace ortho::algorithm {

using schedule::Builder;

namespace {

/// Delivers the root's block to its out-neighbors; nobody else does anything.
///
/// Shapes    send slot 0 at the root, receive slot 0 elsewhere: one buffer.  For a self-edge of the root
///           nothing is done.
/// Result    at most one phase.
/// Cost      C = V = #{distinct partners of the root but itself} there, 0 elsewhere.
/// Requires  nothing.
/// Source    J. L. Traff et al., orthogonality paper, 2.
schedule::Schedule build_bcast_direct(const PlannerContext&, const grid::LocalGraph& graph,
                                      const CallSpecification& specification, const Groups&)
{
    Builder out = Builder::on_graph();
    out.begin_phase();
    if (graph.rank == specification.root)
        send_to_all(out, graph);
    else
        receive_from(out, graph, specification.root);
    return std::move(out).finish();
}

} // namespace

extern const Algorithm bcast_direct = {
    .name = "bcast_direct",
    .collective = Collective::bcast,
    .does = "sends the root's buffer to each of its out-neighbors",
    .build = build_bcast_direct,
};

} // namespace ortho::algorithm
