// SPDX-License-Identifier: BSD-3-Clause
// Edges by partner, for the direct algorithms.  No MPI in this file.

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

} // namespace ortho::algorithm
