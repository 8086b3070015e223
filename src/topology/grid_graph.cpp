// SPDX-License-Identifier: BSD-3-Clause
// The graphs of grids: that of a stencil, and that which follows from a Cartesian name.

#include "topology/grid_graph.hpp"

#include <cstddef>
#include <utility>
#include <vector>

#include "agree/on_comm.hpp"
#include "base/index.hpp"
#include "grid/isomorphism.hpp"
#include "grid/neighborhood.hpp"
#include "grid/shell.hpp"
#include "mpi/error_handling.hpp"
#include "mpi/keyval.hpp"
#include "topology/agreed_settings.hpp"
#include "topology/agreement.hpp"
#include "topology/cart_name.hpp"
#include "topology/graph_consistency.hpp"
#include "topology/rank_order.hpp"

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

namespace {

/// The attribute: the graphs for all names that the communicator has had.
struct GraphsOfNames final : mpi::Attached {
    struct Made {
        grid::Grid name;
        Around around;
        std::shared_ptr<Graph> graph;
    };

    explicit GraphsOfNames(mpi::Comm all) : private_comm(std::move(all)) {}
    ~GraphsOfNames() override
    {
        try {
            for (const Made& each : made)
                if (each.graph) each.graph->lose_user_comm();
        } catch (...) {
            // Then later errors are raised through the default handler.
        }
    }

    mpi::Comm private_comm; ///< has all processes, for comparing names
    std::vector<Made> made;
};

mpi::CommAttribute<GraphsOfNames> graphs_of_names;

/// Collective the first time.
GraphsOfNames& graphs_of(MPI_Comm comm)
{
    if (GraphsOfNames* const graphs = graphs_of_names.find(comm)) return *graphs;
    return graphs_of_names.attach(comm, std::make_unique<GraphsOfNames>(make_own(comm)));
}

/// The neighbors that `info` wants.  Throws, on all processes, unless all have one name and want the same
/// neighbors.  Collective.
Around agree_on_name(MPI_Comm private_comm, const grid::Grid* name, MPI_Info info, const char* argument)
{
    auto around = Around::all;
    agree::Ballot ballot;
    NameVote vote(ballot);
    agree::AnyTrue any_name(ballot);
    agree::AllEqual wanted(ballot);
    const Checked checked(ballot, [&] {
        around = around_in(info);
        wanted.say(static_cast<int>(around));
        vote.say(name);
        any_name.say(name != nullptr);
    });
    agree::hold(private_comm, ballot);
    checked.require(private_comm);
    base::require(any_name.holds(), base::ErrorKind::topology, argument, argument,
                  " carries no graph and has no Cartesian name: ORTHO_Cart_neighborhood_create makes a "
                  "communicator with a graph, MPI_Cart_create and ORTHO_Cart_name give processes a grid");
    if (!vote.have_one()) require_same_name(private_comm, name, argument);
    if (!wanted.holds()) {
        const auto mine = static_cast<long long>(around);
        const auto found = agree::find_difference(private_comm, {&mine, 1}).value();
        const auto words = [](long long n) {
            return n == static_cast<long long>(Around::all) ? "all" : "faces";
        };
        base::fail(base::ErrorKind::mismatch, "info",
                   "ortho_regions is not the same on all processes: ", words(found.on_rank_0), " on rank 0, ",
                   words(found.there), " on rank ", found.rank);
    }
    return around;
}

/// The offsets to the processes around a process.
grid::Stencil offsets_around(const grid::Grid& name, Around around)
{
    constexpr int most_dimensions = 10; // 59 048 offsets
    const int d = name.dimensions();
    if (around == Around::faces) return grid::axis_steps(d);
    base::require(d <= most_dimensions, base::ErrorKind::dims, "comm", "a grid of ", d,
                  " dimensions makes more than 59049 ghost regions; info ortho_regions = faces takes those "
                  "along the axes alone");
    if (d == 0) return {};
    const grid::Shell all = grid::unbounded_shell(grid::Metric::chebyshev, 1, 1, d);
    std::vector<int> offsets(at(grid::count(all) * d));
    grid::list(all, offsets);
    return {d, std::move(offsets)};
}

/// Collective over all processes.
std::shared_ptr<Graph> make_graph(MPI_Comm private_comm, const grid::Grid& name, Around around)
{
    const grid::Stencil offsets = offsets_around(name, around);
    const int rank = mpi::rank_of(private_comm);
    const bool is_on_grid = rank < name.points();
    // All fail here, or none does: otherwise processes off the grid would go on alone.
    Settings settings = agree_on_settings(private_comm);
    MPI_Comm part = MPI_COMM_NULL;
    mpi::check(PMPI_Comm_split(private_comm, is_on_grid ? 0 : MPI_UNDEFINED, rank, &part));
    const mpi::Comm on_grid(part);
    if (!is_on_grid) return nullptr;
    GraphInfo graph_info = grid_graph(name, rank, offsets, MPI_UNWEIGHTED);
    graph_info.settings = in_order(std::move(settings), as_given(static_cast<int>(name.points())));
    return make_attached(part, std::move(graph_info));
}

} // namespace

std::shared_ptr<Graph> graph_of_name(MPI_Comm comm, MPI_Info info, const char* argument)
{
    GraphsOfNames& graphs = graphs_of(comm);
    MPI_Comm const private_comm = graphs.private_comm.get();
    const grid::Grid* const name = find_name(comm);
    const Around around = agree_on_name(private_comm, name, info, argument);
    // All processes have made the same graphs, in the same order.
    for (const auto& made : graphs.made)
        if (made.around == around && made.name == *name) return made.graph;
    std::shared_ptr<Graph> graph = make_graph(private_comm, *name, around);
    if (graph) graph->set_user_comm(comm);
    graphs.made.push_back({*name, around, graph});
    return graph;
}

} // namespace ortho::topology
