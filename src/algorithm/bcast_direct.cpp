// SPDX-License-Identifier: BSD-3-Clause
// Broadcast on any graph: from the root to its out-neighbors.  No MPI in this file.

#include <utility>

#include "algorithm/algorithm.hpp"
#include "algorithm/edge_bundles.hpp"
#include "schedule/builder.hpp"

namespace ortho::algorithm {

using schedule::Builder;
using schedule::nobody;
using schedule::receive_slot;
using schedule::send_slot;

namespace {

/// Delivers the root's block to its out-neighbors; nobody else does anything.
///
/// Shapes    send slot 0 at the root, receive slot 0 elsewhere: one buffer.  For a self-edge of the root
///           nothing is done.
/// Result    at most one phase.
/// Cost      C = V = #{distinct partners of the root but itself} there, 0 elsewhere.
/// Requires  nothing.
/// Errors    none of its own.
/// Source    J. L. Traff et al., orthogonality paper, 2.
schedule::Schedule build_bcast_direct(const PlannerContext&, const grid::LocalGraph& graph,
                                      const CallSpecification& specification, const Groups&)
{
    const int root = specification.root;
    Builder out = Builder::on_graph();
    out.begin_phase();
    if (graph.rank == root) {
        for (const Bundle& bundle : EdgeBundles(graph.targets)) {
            if (bundle.partner == root) continue;
            out.begin_round(bundle.edges.front(), nobody);
            out.send(send_slot(0));
        }
    } else if (const std::vector<int> from = edges_of(graph.sources, root); !from.empty()) {
        out.begin_round(nobody, from.front());
        out.receive(receive_slot(0));
    }
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
