// SPDX-License-Identifier: BSD-3-Clause
// Alltoall on any graph, one message for each partner.  No MPI in this file.

#include <utility>

#include "algorithm/algorithm.hpp"
#include "algorithm/conditions.hpp"
#include "algorithm/edge_bundles.hpp"
#include "schedule/builder.hpp"

namespace ortho::algorithm {

using schedule::Builder;

namespace {

/// Delivers send block i along out-edge i, each into the slot of its in-edge.
///
/// All blocks for one process travel in one message, in the order of the sender's edges; the receiver takes
/// them out in the order of its own edges.  So the k-th edge u -> v in u's list meets the k-th u in v's list,
/// which is MPI's pairing.
///
/// Shapes    send slots: out-edges; receive slots: in-edges.
/// Result    one phase; self-edges are copied meanwhile.
/// Cost      C = #{distinct partners but oneself} messages, V = #{edges to others} blocks.
/// Requires  nothing.
/// Source    MPI-4.1, 8.6 (meaning); J. L. Traff et al., orthogonality paper, 2.
schedule::Schedule build_alltoall_direct(const PlannerContext&, const grid::LocalGraph& graph,
                                         const CallSpecification&, const Groups&)
{
    Builder out = Builder::on_graph();
    out.begin_phase();
    for (const Bundle& bundle : EdgeBundles(graph.sources)) {
        if (bundle.partner == graph.rank) continue;
        out.begin_round(schedule::nobody, bundle.edges.front());
        for (const int edge : bundle.edges) out.receive(schedule::receive_slot(edge));
    }
    send_to_each(out, graph);
    copy_to_oneself(out, graph);
    return std::move(out).finish();
}

} // namespace

extern constexpr Algorithm alltoall_direct = {
    .name = "alltoall_direct",
    .collective = Collective::alltoall,
    .does = "sends every out-neighbor its blocks in one message, all at once",
    .build = build_alltoall_direct,
};

/// alltoall_direct with messages between nodes that travel by wires (nodequeue/node_wires.hpp).  There is one wire
/// for any two nodes, or one for a process and a node if much goes from node to node.  A node sends bytes that
/// several processes of another node want once.  Processes must share memory on their nodes, and stay until
/// the operation is over.
extern const Algorithm alltoall_node_wires = in_wires(alltoall_direct, "alltoall_node_wires");

} // namespace ortho::algorithm
