// SPDX-License-Identifier: BSD-3-Clause
// Reduction of personal blocks on any graph, one message for each partner.  No MPI in this file.

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
using schedule::Slot;

namespace {

/// Reduces, at every process, the blocks that arrive along its in-edges.  Block i of the sender travels along
/// its out-edge i.
///
/// Shapes    send slots: out-edges; receive slot 0; temp: one block for each in-edge.
/// Result    one phase, reductions at its end in in-edge order; nothing is written where
///           there is no in-edge.
/// Cost      C = #{distinct partners but oneself}, V = #{edges to others},
///           #{in-edges}-1 reductions.
/// Requires  nothing; operators need not commute.
/// Source    T. Hoefler, J. L. Traff: Sparse Collective Operations for MPI, II-A (reducev).
schedule::Schedule build_reduce_scatter_direct(const PlannerContext&, const grid::LocalGraph& graph,
                                               const CallSpecification&, const Groups&)
{
    Builder out = Builder::on_graph();
    out.begin_phase();

    const int last = last_edge(graph.sources);
    std::vector<Slot> values(graph.sources.size());
    for (const Bundle& bundle : EdgeBundles(graph.sources)) {
        if (bundle.partner == graph.rank) {
            const std::vector<int> own = edges_of(graph.targets, graph.rank);
            for (std::size_t k = 0; k < bundle.edges.size() && k < own.size(); ++k)
                values[static_cast<std::size_t>(bundle.edges[k])] = send_slot(own[k]);
            continue;
        }
        out.begin_round(nobody, bundle.edges.front());
        for (const int edge : bundle.edges) {
            const Slot place = edge == last ? receive_slot(0) : out.new_temp(0);
            values[static_cast<std::size_t>(edge)] = place;
            out.receive(place);
        }
    }
    send_to_each(out, graph);
    reduce_in_order(out, graph.sources, values);
    return std::move(out).finish();
}

} // namespace

extern constexpr Algorithm reduce_scatter_direct = {
    .name = "reduce_scatter_direct",
    .collective = Collective::reduce_scatter,
    .does = "sends every out-neighbor its blocks in one message, all at once, and reduces what arrives",
    .build = build_reduce_scatter_direct,
};

/// reduce_scatter_direct with messages between nodes that travel by wires, as in alltoall_node_wires.  Receivers
/// reduce blocks in the order of in-edges, so that the result has the bits of reduce_scatter_direct.
extern const Algorithm reduce_scatter_node_wires = in_wires(reduce_scatter_direct,
                                                            "reduce_scatter_node_wires");

} // namespace ortho::algorithm
