// SPDX-License-Identifier: BSD-3-Clause
// Edges by partner, for the direct algorithms.  No MPI in this file.

#include "algorithm/edge_bundles.hpp"

#include <algorithm>

#include "base/index.hpp"
#include "grid/local_graph.hpp"

namespace ortho::algorithm {

std::vector<Bundle> bundles(const std::vector<int>& partners)
{
    std::vector<int> edges;
    for (int i = 0; i < static_cast<int>(partners.size()); ++i)
        if (partners[at(i)] != grid::gap) edges.push_back(i);
    std::ranges::stable_sort(edges, {}, [&](int edge) { return partners[at(edge)]; });

    std::vector<Bundle> result;
    for (const int edge : edges) {
        const int partner = partners[at(edge)];
        if (result.empty() || result.back().partner != partner) result.push_back({partner, {}});
        result.back().edges.push_back(edge);
    }
    std::ranges::sort(result, {}, [](const Bundle& bundle) { return bundle.edges.front(); });
    return result;
}

Bundle bundle_of(const std::vector<int>& partners, int partner)
{
    Bundle result{partner, {}};
    for (int i = 0; i < static_cast<int>(partners.size()); ++i)
        if (partners[at(i)] == partner) result.edges.push_back(i);
    return result;
}

void send_to_all(schedule::Builder& out, const grid::LocalGraph& graph)
{
    for (const Bundle& bundle : bundles(graph.targets)) {
        if (bundle.partner == graph.rank) continue;
        out.begin_round(bundle.edges.front(), schedule::nobody);
        out.send(schedule::send_slot(0));
    }
}

void send_to_each(schedule::Builder& out, const grid::LocalGraph& graph)
{
    for (const Bundle& bundle : bundles(graph.targets)) {
        if (bundle.partner == graph.rank) continue;
        out.begin_round(bundle.edges.front(), schedule::nobody);
        for (const int edge : bundle.edges) out.send(schedule::send_slot(edge));
    }
}

void copy_to_oneself(schedule::Builder& out, const grid::LocalGraph& graph)
{
    const Bundle from = bundle_of(graph.targets, graph.rank);
    const Bundle to = bundle_of(graph.sources, graph.rank);
    for (std::size_t k = 0; k < from.edges.size() && k < to.edges.size(); ++k)
        out.copy_meanwhile(schedule::send_slot(from.edges[k]), schedule::receive_slot(to.edges[k]));
}

} // namespace ortho::algorithm
