// SPDX-License-Identifier: BSD-3-Clause
// Allreduce on any graph, one message for each partner.  No MPI in this file.

#include <utility>

#include "algorithm/algorithm.hpp"
#include "algorithm/conditions.hpp"
#include "algorithm/edge_bundles.hpp"
#include "schedule/builder.hpp"

namespace ortho::algorithm {

using schedule::Builder;

namespace {

/// Reduces, at every process, the blocks of its in-neighbors, one contribution for each in-edge.
///
/// Shapes    send slot 0, receive slot 0; temp: one block for each partner.
/// Result    one phase, reductions at its end in in-edge order; nothing is written where
///           there is no in-edge.
/// Cost      C = V = #{distinct partners but oneself}, #{in-edges}-1 reductions.
/// Requires  nothing; operators need not commute.
/// Source    T. Hoefler, J. L. Traff: Sparse Collective Operations for MPI, II c;
///           J. L. Traff et al., orthogonality paper, 2.
schedule::Schedule build_allreduce_direct(const PlannerContext&, const grid::LocalGraph& graph,
                                          const CallSpecification& specification, const Groups&)
{
    Builder out = Builder::on_graph();
    out.begin_phase();
    receive_and_reduce(out, graph, specification.in_place);
    send_to_all(out, graph);
    return std::move(out).finish();
}

} // namespace

extern constexpr Algorithm allreduce_direct = {
    .name = "allreduce_direct",
    .collective = Collective::allreduce,
    .does = "sends the data to every out-neighbor, all at once, and reduces what arrives",
    .build = build_allreduce_direct,
};

/// allreduce_direct with messages between nodes that travel by wires, as in alltoall_node_wires.  Receivers
/// reduce blocks in the order of in-edges, so that the result has the bits of allreduce_direct.
extern const Algorithm allreduce_node_wires = in_wires(allreduce_direct, "allreduce_node_wires");

} // namespace ortho::algorithm
