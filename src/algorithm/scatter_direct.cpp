// SPDX-License-Identifier: BSD-3-Clause
// Scatter on any graph: from the root to its out-neighbors.  No MPI in this file.

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

/// Delivers the root's block i along its out-edge i; nobody else does anything.
///
/// A receiver has room for one block.  With several edges to one process the last block stays, so only that
/// one is sent.
///
/// Shapes    send slots: the root's out-edges; receive slot 0.
/// Result    at most one phase; the root's self-edge is copied meanwhile.
/// Cost      C = V = #{distinct partners of the root but itself} there, 0 elsewhere.
/// Requires  nothing.
/// Source    J. L. Traff et al., orthogonality paper, 2.
schedule::Schedule build_scatter_direct(const PlannerContext&, const grid::LocalGraph& graph,
                                        const CallSpecification& specification, const Groups&)
{
    const int root = specification.root;
    Builder out = Builder::on_graph();
    out.begin_phase();
    if (graph.rank == root) {
        for (const Bundle& bundle : EdgeBundles(graph.targets)) {
            if (bundle.partner == root) {
                out.copy_meanwhile(send_slot(bundle.edges.back()), receive_slot(0));
                continue;
            }
            out.begin_round(bundle.edges.front(), nobody);
            out.send(send_slot(bundle.edges.back()));
        }
    } else {
        receive_from(out, graph, root);
    }
    return std::move(out).finish();
}

} // namespace

extern const Algorithm scatter_direct = {
    .name = "scatter_direct",
    .collective = Collective::scatter,
    .does = "sends one message from the root to each of its out-neighbors",
    .build = build_scatter_direct,
};

} // namespace ortho::algorithm
