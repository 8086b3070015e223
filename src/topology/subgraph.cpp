// SPDX-License-Identifier: BSD-3-Clause
// The subgraph of some of a graph's processes.

#include "topology/subgraph.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "grid/subgrid.hpp"
#include "topology/agreed_settings.hpp"
#include "topology/agreement.hpp"
#include "topology/cart_name.hpp"
#include "topology/neighbor_lists.hpp"
#include "topology/rank_order.hpp"

namespace ortho::topology {

namespace {

/// A graph, and its processes that are in the subgraph.
struct Parts {
    const GraphInfo& graph_info;
    mpi::Group all;
    mpi::Group inside;
};

/// Keeps the entries of a list that are inside, and their weights.
void keep_inside(const Parts& parts, const std::vector<int>& ranks, const std::vector<int>& weights,
                 std::vector<int>& kept, std::vector<int>& kept_weights)
{
    std::vector<int> asked = ranks;
    std::ranges::replace(asked, grid::gap, MPI_PROC_NULL);
    const std::vector<int> inside = mpi::translate(asked, parts.all.get(), parts.inside.get());
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        if (inside[i] == MPI_UNDEFINED) continue;
        kept.push_back(ranks[i] == grid::gap ? grid::gap : inside[i]);
        if (parts.graph_info.weighted) kept_weights.push_back(weights[i]);
    }
}

/// The ranks of a part's processes in the whole group.
std::vector<int> ranks_in(const mpi::Group& whole, const mpi::Group& part)
{
    return mpi::translate(mpi::all_ranks(part.get()), part.get(), whole.get());
}

/// The agreed settings.  Promises were made for the whole graph only.
Settings inherited(const Parts& parts)
{
    Settings settings = in_order(*parts.graph_info.settings,
                                 RankOrder{ranks_in(parts.all, parts.inside), {}});
    settings.assert_uniform = false;
    settings.sizes_by_weights = settings.independent = false;
    settings.forward = settings.thread;
    return settings;
}

} // namespace

std::optional<grid::Grid> subgrid_of(MPI_Comm whole, MPI_Comm part)
{
    const auto grid = grid_of(whole);
    if (!grid) return std::nullopt;
    const std::vector<int> points = ranks_in(mpi::Group(whole), mpi::Group(part));
    // A name may have fewer points than there are processes.
    if (std::ranges::any_of(points, [&](int point) { return point >= grid->points(); })) return std::nullopt;
    return grid::subgrid(*grid, points);
}

mpi::Comm induced_subgraph(MPI_Comm graph, MPI_Comm part)
{
    const auto whole = graph_of(graph)->graph_info;
    const Parts parts{*whole, mpi::Group(graph), mpi::Group(part)};
    GraphInfo graph_info;
    graph_info.lists.rank = mpi::rank_of(part);
    graph_info.weighted = whole->weighted;
    keep_inside(parts, whole->lists.sources, whole->source_weights, graph_info.lists.sources,
                graph_info.source_weights);
    keep_inside(parts, whole->lists.targets, whole->target_weights, graph_info.lists.targets,
                graph_info.target_weights);
    // Either all processes of the graph have agreed, or none.
    graph_info.settings = whole->settings ? inherited(parts) : agree_on_settings(part);
    graph_info.isomorphism_decided = whole->isomorphism_decided;

    std::optional<grid::Grid> subgrid;
    const grid::Grid* name = find_name(part);
    if (name == nullptr) {
        subgrid = subgrid_of(graph, part);
        name = subgrid ? &*subgrid : nullptr;
    }
    mpi::Comm made = make_mpi_graph(part, graph_info);
    mpi::copy_errhandler(part, made.get());
    carry_on_grid(made.get(), std::move(graph_info), name);
    return made;
}

} // namespace ortho::topology
