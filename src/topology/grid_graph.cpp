// SPDX-License-Identifier: BSD-3-Clause
// The graph of a stencil on a grid.

#include "topology/grid_graph.hpp"

#include <cstddef>
#include <utility>
#include <vector>

#include "grid/isomorphism.hpp"
#include "grid/neighborhood.hpp"

namespace ortho::topology {

GraphInfo grid_graph(const grid::Grid& grid, int rank, const grid::Stencil& targets, const int weight[])
{
    GraphInfo graph_info;
    graph_info.lists.rank = rank;
    graph_info.stencil = targets;
    graph_info.weighted = weight != MPI_UNWEIGHTED;
    for (int i = 0; i < targets.size(); ++i) {
        // Grid::nowhere and grid::gap are one number for one thing.
        static_assert(grid::Grid::nowhere == grid::gap);
        graph_info.lists.targets.push_back(grid.neighbor(rank, targets[i]));
        graph_info.lists.sources.push_back(grid.neighbor_against(rank, targets[i]));
    }
    if (graph_info.weighted && targets.size() > 0)
        graph_info.source_weights.assign(weight, weight + targets.size());
    graph_info.target_weights = graph_info.source_weights;

    grid::Canonical canonical = grid::canonical(grid, targets);
    const auto size = static_cast<std::size_t>(canonical.neighborhood.size());
    grid::Slots slots{std::vector<int>(size, grid::gap), std::vector<int>(size, grid::gap)};
    std::vector<int> size_slots(size, grid::gap);
    for (std::size_t slot = 0; slot < canonical.index.size(); ++slot) {
        if (canonical.index[slot] == grid::gap) continue;
        const auto i = static_cast<std::size_t>(canonical.index[slot]);
        const int number = static_cast<int>(slot);
        size_slots[i] = number;
        if (graph_info.lists.targets[slot] != grid::gap) slots.send[i] = number;
        if (graph_info.lists.sources[slot] != grid::gap) slots.receive[i] = number;
    }
    graph_info.isomorphism.emplace(std::move(canonical.neighborhood), std::move(slots),
                                   std::move(size_slots));
    graph_info.isomorphism_decided = true;
    return graph_info;
}

GraphInfo axis_graph(const grid::Grid& grid, int rank)
{
    GraphInfo graph_info;
    graph_info.lists.rank = rank;
    graph_info.isomorphism_decided = true;
    if (grid.dimensions() == 0) return graph_info; // one process, without neighbors
    const grid::Stencil star = grid::axis_steps(grid.dimensions());
    for (int i = 0; i < star.size(); ++i) graph_info.lists.targets.push_back(grid.neighbor(rank, star[i]));
    graph_info.lists.sources = graph_info.lists.targets;
    // In each dimension all processes have one neighbor twice, or none has.
    graph_info.may_have_repeats = grid::has_repeats(graph_info.lists.targets);
    grid::Neighborhood neighborhood = grid::canonical(grid, star).neighborhood;
    if (auto slots = grid::match(neighborhood, graph_info.lists))
        graph_info.isomorphism.emplace(std::move(neighborhood), std::move(*slots));
    return graph_info;
}

} // namespace ortho::topology
