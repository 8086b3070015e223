// SPDX-License-Identifier: BSD-3-Clause
// The work of processes in the phases of an algorithm, from some of their schedules.  No MPI in this file.

#include "planner/sampled_schedules.hpp"

#include <algorithm>
#include <utility>

#include "base/arithmetic.hpp"
#include "base/index.hpp"
#include "grid/grid.hpp"
#include "schedule/off_node.hpp"

namespace ortho::planner {

using algorithm::CallSpecification;
using grid::Grid;
using schedule::PhaseCounts;
using schedule::PhaseLoad;

namespace {

/// The edges of a process, by canonical index.
grid::LocalGraph edges_of(const grid::Neighborhood& neighborhood, int rank)
{
    // Grid::nowhere and grid::gap are one number for one thing.
    static_assert(Grid::nowhere == grid::gap);
    grid::LocalGraph graph{rank, {}, {}};
    for (int i = 0; i < neighborhood.size(); ++i) {
        graph.sources.push_back(neighborhood.grid.neighbor_against(rank, neighborhood.offsets[i]));
        graph.targets.push_back(neighborhood.grid.neighbor(rank, neighborhood.offsets[i]));
    }
    return graph;
}

int middle_of(const Grid& grid)
{
    std::vector<int> coordinates;
    for (int k = 0; k < grid.dimensions(); ++k) coordinates.push_back(grid.size(k) / 2);
    return grid.rank(coordinates);
}

/// The process in the middle, if there is one, and some others: fewer if there are more offsets.
std::vector<int> some_of(const Grid& grid, int offsets)
{
    constexpr std::int64_t most_offsets = 1 << 10;
    std::vector<int> result;
    if (const int middle = middle_of(grid); middle != Grid::nowhere) result.push_back(middle);
    const schedule::Sample sample(grid.points(), std::max(1, offsets), most_offsets);
    for (std::int64_t i = 0; i < sample.size(); ++i)
        if (std::ranges::find(result, sample[i]) == result.end()) result.push_back(sample[i]);
    return result;
}

/// The processes of some nodes, node by node.  If nodes are large, the first processes of one node: they have
/// as much to do as any.
std::vector<int> some_of(const grid::Nodes& nodes, int offsets)
{
    // A process looks at the edges of its own node and of some other nodes.
    constexpr std::int64_t most_edges = 1 << 21;
    const std::int64_t edges = 8 * std::ranges::max(nodes.sizes()) * std::int64_t{std::max(1, offsets)};
    const std::int64_t most = std::max<std::int64_t>(1, most_edges / edges);
    const schedule::Sample sample(nodes.count(), std::ranges::max(nodes.sizes()), most);
    std::vector<int> result;
    for (std::int64_t i = 0; i < sample.size(); ++i)
        for (const int process : nodes.members(sample[i]))
            if (std::ssize(result) < most) result.push_back(process);
    return result;
}

} // namespace

SampledSchedules::SampledSchedules(const algorithm::Algorithm& algorithm,
                                   const algorithm::PlannerContext& context,
                                   const CallSpecification& specification, const algorithm::Groups& groups)
    : grid_(specification.halo != nullptr ? specification.halo->grid : context.neighborhood->grid),
      edge_offsets_(specification.halo != nullptr ? specification.halo->steps()
                                                  : context.neighborhood->offsets),
      nodes_(context.layout.nodes),
      depends_on_nodes_(algorithm.depends_on_nodes)
{
    // Agreed numbers are about each process's own edges, and do not change the messages.
    CallSpecification alone = specification;
    alone.agreed = {};
    std::vector<int> ranks{context.graph.rank};
    if (depends_on_nodes_)
        ranks = some_of(*nodes_, edge_offsets_.size());
    else if (!grid_.is_torus())
        ranks = some_of(grid_, edge_offsets_.size());
    for (const int rank : ranks)
        sampled_.push_back({rank, std::make_shared<const schedule::Schedule>(algorithm.build(
                                      context, edges_of(*context.neighborhood, rank), alone, groups))});
}

std::shared_ptr<const schedule::Schedule> SampledSchedules::of(int rank) const
{
    const auto found = std::ranges::find(sampled_, rank, &Sampled::rank);
    return found == sampled_.end() ? nullptr : found->schedule;
}

std::vector<PhaseCounts> SampledSchedules::phases(std::span<const std::int64_t> sizes) const
{
    if (depends_on_nodes_) return phases_on_nodes(sizes);
    std::vector<PhaseCounts> result;
    std::vector<PhaseLoad> largest;
    for (const Sampled& sampled : sampled_) {
        std::vector<PhaseLoad> loads = loads_of(*sampled.schedule, sizes, edge_offsets_);
        if (loads.size() > result.size()) {
            result.resize(loads.size());
            largest.resize(loads.size());
        }
        for (std::size_t i = 0; i < loads.size(); ++i) {
            raise(result[i], counts_of(loads[i]));
            if (loads[i].steps.size() > largest[i].steps.size()) largest[i] = std::move(loads[i]);
        }
    }
    if (nodes_ == nullptr) return result;
    // All processes take these steps where they stay on the grid.
    for (std::size_t i = 0; i < result.size(); ++i)
        result[i].off = schedule::off_node(grid_, *nodes_, largest[i].steps, largest[i].along,
                                           schedule::most_looks / std::ssize(result));
    return result;
}

std::int64_t SampledSchedules::leaving_along_edges(std::span<const std::int64_t> sizes) const
{
    grid::Stencil steps(edge_offsets_.dimensions());
    std::vector<std::int64_t> along;
    for (int i = 0; i < edge_offsets_.size(); ++i) {
        if (edge_offsets_.nonzeros(i) == 0) continue;
        steps.push_back(edge_offsets_[i]);
        along.push_back(sizes.size() == 1 ? sizes[0] : sizes[at(i)]);
    }
    return schedule::off_node(grid_, *nodes_, steps, along, schedule::most_looks / 4).node_blocks;
}

std::vector<PhaseCounts> SampledSchedules::phases_on_nodes(std::span<const std::int64_t> sizes) const
{
    std::vector<PhaseCounts> result;
    std::vector<std::int64_t> leaving; // amounts that leave the current node, by phase
    int node = -1;
    std::int64_t processes = 0; // number of its processes in the sample
    const std::int64_t most_leaving = leaving_along_edges(sizes);
    const auto finish_node = [&] {
        // If not all processes of a node are in the sample, the others count like these.  But at most the
        // amount that goes along the edges themselves leaves the node.
        const std::int64_t size = nodes_->size(node);
        for (std::size_t i = 0; i < leaving.size(); ++i) {
            const std::int64_t all = processes == size
                                         ? leaving[i]
                                         : std::min(most_leaving,
                                                    base::divided_up(leaving[i] * size, processes));
            result[i].off.node_blocks = std::max(result[i].off.node_blocks, all);
        }
        leaving.clear();
        processes = 0;
    };
    for (const Sampled& sampled : sampled_) {
        if (nodes_->of(sampled.rank) != node) {
            if (node >= 0) finish_node();
            node = nodes_->of(sampled.rank);
        }
        ++processes;
        const std::vector<PhaseLoad> loads = loads_of(*sampled.schedule, sizes, edge_offsets_);
        if (loads.size() > result.size()) result.resize(loads.size());
        if (loads.size() > leaving.size()) leaving.resize(loads.size());
        for (std::size_t i = 0; i < loads.size(); ++i) {
            PhaseCounts here = counts_of(loads[i]);
            for (int s = 0; s < loads[i].steps.size(); ++s) {
                if (nodes_->of(grid_.neighbor(sampled.rank, loads[i].steps[s])) == node) continue;
                ++here.off.messages;
                here.off.blocks += loads[i].along[at(s)];
            }
            leaving[i] += here.off.blocks;
            raise(result[i], here);
        }
    }
    finish_node();
    return result;
}

} // namespace ortho::planner
