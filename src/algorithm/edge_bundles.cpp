// SPDX-License-Identifier: BSD-3-Clause
// Edges by partner, and functions that the direct algorithms share.  No MPI in this file.

#include "algorithm/edge_bundles.hpp"

#include <algorithm>
#include <utility>

#include "base/index.hpp"

namespace ortho::algorithm {

EdgeBundles::EdgeBundles(const std::vector<int>& partners)
{
    edges_.reserve(partners.size());
    for (int i = 0; i < static_cast<int>(partners.size()); ++i)
        if (partners[at(i)] != grid::gap) edges_.push_back(i);
    std::ranges::sort(edges_, {}, [&](int edge) { return std::pair(partners[at(edge)], edge); });

    bundles_.reserve(edges_.size());
    for (std::size_t begin = 0, end = 0; begin < edges_.size(); begin = end) {
        const int partner = partners[at(edges_[begin])];
        while (end < edges_.size() && partners[at(edges_[end])] == partner) ++end;
        bundles_.push_back({partner, std::span(edges_).subspan(begin, end - begin)});
    }
    std::ranges::sort(bundles_, {}, [](const Bundle& bundle) { return bundle.edges.front(); });
}

std::vector<int> edges_of(const std::vector<int>& partners, int partner)
{
    std::vector<int> result;
    for (int i = 0; i < static_cast<int>(partners.size()); ++i)
        if (partners[at(i)] == partner) result.push_back(i);
    return result;
}

void send_to(schedule::Builder& out, const grid::LocalGraph& graph, int partner)
{
    const auto edge = std::ranges::find(graph.targets, partner);
    if (edge == graph.targets.end()) return;
    out.begin_round(static_cast<int>(edge - graph.targets.begin()), schedule::nobody);
    out.send(schedule::send_slot(0));
}

void receive_from(schedule::Builder& out, const grid::LocalGraph& graph, int partner)
{
    const auto edge = std::ranges::find(graph.sources, partner);
    if (edge == graph.sources.end()) return;
    out.begin_round(schedule::nobody, static_cast<int>(edge - graph.sources.begin()));
    out.receive(schedule::receive_slot(0));
}

void send_to_all(schedule::Builder& out, const grid::LocalGraph& graph)
{
    for (const Bundle& bundle : EdgeBundles(graph.targets)) {
        if (bundle.partner == graph.rank) continue;
        out.begin_round(bundle.edges.front(), schedule::nobody);
        out.send(schedule::send_slot(0));
    }
}

void send_to_each(schedule::Builder& out, const grid::LocalGraph& graph)
{
    for (const Bundle& bundle : EdgeBundles(graph.targets)) {
        if (bundle.partner == graph.rank) continue;
        out.begin_round(bundle.edges.front(), schedule::nobody);
        for (const int edge : bundle.edges) out.send(schedule::send_slot(edge));
    }
}

void copy_to_oneself(schedule::Builder& out, const grid::LocalGraph& graph)
{
    const std::vector<int> from = edges_of(graph.targets, graph.rank);
    const std::vector<int> to = edges_of(graph.sources, graph.rank);
    for (std::size_t k = 0; k < from.size() && k < to.size(); ++k)
        out.copy_meanwhile(schedule::send_slot(from[k]), schedule::receive_slot(to[k]));
}

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
