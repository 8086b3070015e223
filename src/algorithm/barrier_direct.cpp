// SPDX-License-Identifier: BSD-3-Clause
// Barrier on any graph.  No MPI in this file.

#include <utility>

#include "algorithm/algorithm.hpp"
#include "algorithm/edge_bundles.hpp"
#include "schedule/builder.hpp"

namespace ortho::algorithm {

using schedule::Builder;
using schedule::nobody;

namespace {

/// Waits for an empty message from every in-neighbor, and sends one to every out-neighbor.
///
/// Shapes    no slots; messages are empty.
/// Result    one phase.
/// Cost      C = #{distinct partners but oneself}, V = 0.
/// Requires  nothing.
/// Source    J. L. Traff et al., orthogonality paper, 2: a process may leave as soon as its
///           in-neighbors have entered.
schedule::Schedule build_barrier_direct(const PlannerContext&, const grid::LocalGraph& graph,
                                        const CallSpecification&, const Groups&)
{
    Builder out = Builder::on_graph();
    out.begin_phase();
    for (const Bundle& bundle : EdgeBundles(graph.sources))
        if (bundle.partner != graph.rank) out.begin_round(nobody, bundle.edges.front());
    for (const Bundle& bundle : EdgeBundles(graph.targets))
        if (bundle.partner != graph.rank) out.begin_round(bundle.edges.front(), nobody);
    return std::move(out).finish();
}

} // namespace

extern const Algorithm barrier_direct = {
    .name = "barrier_direct",
    .collective = Collective::barrier,
    .does = "sends every out-neighbor an empty message",
    .build = build_barrier_direct,
};

} // namespace ortho::algorithm
