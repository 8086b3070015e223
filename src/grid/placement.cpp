// SPDX-License-Identifier: BSD-3-Clause
// Which process to put where on a grid.  No MPI in this file.

#include "grid/placement.hpp"

#include <utility>

#include "grid/cut.hpp"
#include "grid/placement_gropp.hpp"

namespace ortho::grid {

std::vector<int> processes_on_points(const Nodes& nodes, std::span<const int> node_of)
{
    // The processes node by node, in increasing order; of each node, how many have a point.
    std::vector<int> next(static_cast<std::size_t>(nodes.count()));
    for (int n = 1; n < nodes.count(); ++n)
        next[static_cast<std::size_t>(n)] = next[static_cast<std::size_t>(n - 1)] + nodes.size(n - 1);
    std::vector<int> processes(node_of.size());
    std::vector<int> end = next;
    for (int process = 0; process < nodes.processes(); ++process)
        processes[static_cast<std::size_t>(end[static_cast<std::size_t>(nodes.of(process))]++)] = process;
    std::vector<int> result;
    result.reserve(node_of.size());
    for (const int node : node_of)
        result.push_back(processes[static_cast<std::size_t>(next[static_cast<std::size_t>(node)]++)]);
    return result;
}

Placement place(const Neighborhood& neighborhood, std::span<const std::int64_t> weights, std::span<const Nodes> levels)
{
    const Nodes& nodes = levels.front(); // there is one at least
    NodeOfPoint best(nodes.of_all().begin(), nodes.of_all().end());
    std::string_view method = "as numbered";
    if (std::optional<NodeOfPoint> other = gropp(neighborhood.grid, nodes);
        other && count_cut(neighborhood, weights, *other) < count_cut(neighborhood, weights, best)) {
        best = std::move(*other);
        method = "gropp";
    }
    return {method, processes_on_points(nodes, best)};
}

} // namespace ortho::grid
