// SPDX-License-Identifier: BSD-3-Clause
// Allgather on any graph, one message for each partner.  No MPI in this file.

#include <utility>

#include "algorithm/algorithm.hpp"
#include "algorithm/conditions.hpp"
#include "algorithm/edge_bundles.hpp"
#include "schedule/builder.hpp"

namespace ortho::algorithm {

using schedule::Builder;
using schedule::nobody;
using schedule::receive_slot;
using schedule::send_slot;

namespace {

/// Delivers send block 0 along every out-edge, each into the slot of its in-edge.
///
/// A process that is a neighbor several times gets the block once, and copies it.
///
/// Shapes    send slot 0; receive slots: in-edges.
/// Result    one phase; self-edges are copied meanwhile, repeated ones afterwards.
/// Cost      C = V = #{distinct partners but oneself}.
/// Requires  nothing.
/// Source    MPI-4.1, 8.6 (meaning); J. L. Traff et al., orthogonality paper, 2.
schedule::Schedule build_allgather_direct(const PlannerContext&, const grid::LocalGraph& graph,
                                          const CallSpecification&, const Groups&)
{
    Builder out = Builder::on_graph();
    out.begin_phase();
    for (const Bundle& bundle : EdgeBundles(graph.sources)) {
        if (bundle.partner == graph.rank) {
            for (const int edge : bundle.edges) out.copy_meanwhile(send_slot(0), receive_slot(edge));
            continue;
        }
        const int first = bundle.edges.front();
        out.begin_round(nobody, first);
        out.receive(receive_slot(first));
        for (const int edge : bundle.edges)
            if (edge != first) out.copy_afterwards(receive_slot(first), receive_slot(edge));
    }
    send_to_all(out, graph);
    return std::move(out).finish();
}

} // namespace

extern constexpr Algorithm allgather_direct = {
    .name = "allgather_direct",
    .collective = Collective::allgather,
    .does = "sends the block to every out-neighbor, all at once",
    .build = build_allgather_direct,
};

/// allgather_direct with messages between nodes that travel by wires, as in alltoall_node_wires.
extern const Algorithm allgather_node_wires = in_wires(allgather_direct, "allgather_node_wires");

} // namespace ortho::algorithm
