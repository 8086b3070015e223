// SPDX-License-Identifier: BSD-3-Clause
// Reduce on any graph: over the root's in-edges.  No MPI in this file.

#include <utility>

#include "algorithm/algorithm.hpp"
#include "algorithm/edge_bundles.hpp"
#include "schedule/builder.hpp"

namespace ortho::algorithm {

using schedule::Builder;

namespace {

/// Reduces, at the root, the blocks of its in-neighbors; nobody else does anything.
///
/// Shapes    send slot 0; receive slot 0 and temp at the root: one block for each partner.
/// Result    at most one phase; nothing is written if the root has no in-edge.
/// Cost      C = V <= 1 at an in-neighbor, #{in-edges}-1 reductions at the root.
/// Requires  nothing; operators need not commute.
/// Source    J. L. Traff et al., orthogonality paper, 2.
schedule::Schedule build_reduce_direct(const PlannerContext&, const grid::LocalGraph& graph,
                                       const CallSpecification& specification, const Groups&)
{
    Builder out = Builder::on_graph();
    out.begin_phase();
    if (graph.rank == specification.root)
        receive_and_reduce(out, graph, specification.in_place);
    else
        send_to(out, graph, specification.root);
    return std::move(out).finish();
}

} // namespace

extern const Algorithm reduce_direct = {
    .name = "reduce_direct",
    .collective = Collective::reduce,
    .does = "sends the root one message from each of its in-neighbors, and reduces there",
    .build = build_reduce_direct,
};

} // namespace ortho::algorithm
