// SPDX-License-Identifier: BSD-3-Clause
// Functions that the direct reductions share.  No MPI in this file.

#include "algorithm/reduce_in_order.hpp"

#include "algorithm/edge_bundles.hpp"

namespace ortho::algorithm {

using schedule::Builder;
using schedule::receive_slot;
using schedule::send_slot;
using schedule::Slot;

void receive_and_reduce(Builder& out, const grid::LocalGraph& graph, bool in_place)
{
    if (in_place) out.part(send_slot(0), receive_slot(0));
    const int last = last_edge(graph.sources);
    std::vector<Slot> values(graph.sources.size());
    for (const Bundle& bundle : EdgeBundles(graph.sources)) {
        Slot place = send_slot(0);
        if (bundle.partner != graph.rank) {
            // The rightmost operand may arrive in the place of the result, if it is needed once.
            const bool rightmost = bundle.edges.front() == last && !in_place;
            place = rightmost ? receive_slot(0) : out.new_temp(0);
            out.begin_round(schedule::nobody, bundle.edges.front());
            out.receive(place);
        } else if (in_place) {
            place = out.new_temp(0);
            out.copy_meanwhile(send_slot(0), place);
        }
        for (const int edge : bundle.edges) values[static_cast<std::size_t>(edge)] = place;
    }
    reduce_in_order(out, graph.sources, values);
}

int last_edge(const std::vector<int>& partners)
{
    int edge = static_cast<int>(partners.size()) - 1;
    while (edge >= 0 && partners[static_cast<std::size_t>(edge)] == grid::gap) --edge;
    return edge;
}

void reduce_in_order(Builder& out, const std::vector<int>& sources, const std::vector<Slot>& values)
{
    const int last = last_edge(sources);
    if (last < 0) return;
    const Slot rightmost = values[static_cast<std::size_t>(last)];
    if (rightmost != receive_slot(0)) out.copy_afterwards(rightmost, receive_slot(0));
    for (auto i = static_cast<std::size_t>(last); i-- > 0;)
        if (sources[i] != grid::gap) out.reduce_afterwards(values[i], receive_slot(0));
}

} // namespace ortho::algorithm
