// SPDX-License-Identifier: BSD-3-Clause
// The public calls that make and ask about a grid with a stencil.

#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "grid/neighborhood.hpp"
#include "grid/uniformity.hpp"
#include "mpi/comm.hpp"
#include "mpi/error.hpp"
#include "mpiortho.h"
#include "topology/agreement.hpp"
#include "topology/graph.hpp"
#include "topology/lists.hpp"
#include "topology/name.hpp"
#include "topology/settings.hpp"

namespace {

using namespace ortho;
using base::ErrorKind;
using base::require;
using mpi::guard;
using mpi::require_result;

grid::Grid make_grid(MPI_Comm comm, int d, const int dims[], const int periods[])
{
    require(d >= 1, ErrorKind::dims, "d", "d = ", d, " is not a positive number of dimensions");
    require_result(dims, "dims");
    require_result(periods, "periods");
    std::vector<char> periodic;
    for (int k = 0; k < d; ++k) periodic.push_back(periods[k] != 0);
    grid::Grid grid({dims, dims + d}, std::move(periodic), grid::Order::row_major, "dims");
    require(grid.points() <= mpi::size_of(comm), ErrorKind::dims, "dims", "dims gives a grid of ", grid.points(),
            " processes on a communicator of ", mpi::size_of(comm));
    return grid;
}

/// Throws, on all processes, unless all gave the same grid and stencil.
void require_same(MPI_Comm comm, const grid::Grid& grid, const grid::Stencil& targets, bool weighted)
{
    std::vector<int> all;
    std::vector<const char*> arguments;
    const auto add = [&](int number, const char* argument) {
        all.push_back(number);
        arguments.push_back(argument);
    };
    add(grid.dimensions(), "d");
    for (int k = 0; k < grid.dimensions(); ++k) add(grid.size(k), "dims");
    for (int k = 0; k < grid.dimensions(); ++k) add(grid.periodic(k) ? 1 : 0, "periods");
    add(targets.size(), "t");
    add(weighted ? 1 : 0, "weight");
    for (const int n : targets.flat()) add(n, "targetrelative");
    arguments.push_back("d or t"); // the lists have different lengths

    if (const auto difference = topology::first_difference(comm, all))
        base::fail(ErrorKind::mismatch, arguments[*difference], arguments[*difference],
                   " is not the same on all processes");
}

/// The communicator of the grid's processes, or none outside.
mpi::Comm grid_comm(MPI_Comm comm, const grid::Grid& grid)
{
    const int rank = mpi::rank_of(comm);
    MPI_Comm part = MPI_COMM_NULL;
    mpi::check_users(PMPI_Comm_split(comm, rank < grid.points() ? 0 : MPI_UNDEFINED, rank, &part));
    return mpi::Comm(part);
}

/// What every process knows by itself, since grid and stencil are the same everywhere.
topology::Facts make_facts(const grid::Grid& grid, int rank, const grid::Stencil& targets, const int weight[])
{
    topology::Facts facts;
    facts.lists.rank = rank;
    facts.stencil_size = targets.size();
    facts.weighted = targets.size() > 0 && weight != MPI_UNWEIGHTED;
    for (int i = 0; i < targets.size(); ++i) {
        // Grid::nowhere and grid::gap are the same number for the same thing.
        static_assert(grid::Grid::nowhere == grid::gap);
        facts.lists.targets.push_back(grid.neighbor(rank, targets[i]));
        facts.lists.sources.push_back(grid.neighbor_against(rank, targets[i]));
    }
    if (facts.weighted) facts.source_weights.assign(weight, weight + targets.size());
    facts.target_weights = facts.source_weights;

    grid::Canonical canonical = grid::canonical(grid, targets);
    topology::Isomorphism isomorphism;
    const auto size = static_cast<std::size_t>(canonical.neighborhood.size());
    isomorphism.slots.send.assign(size, grid::gap);
    isomorphism.slots.receive.assign(size, grid::gap);
    isomorphism.size_slots.assign(size, grid::gap);
    for (std::size_t slot = 0; slot < canonical.index.size(); ++slot) {
        if (canonical.index[slot] == grid::gap) continue;
        const auto i = static_cast<std::size_t>(canonical.index[slot]);
        const int number = static_cast<int>(slot);
        isomorphism.size_slots[i] = number;
        if (facts.lists.targets[slot] != grid::gap) isomorphism.slots.send[i] = number;
        if (facts.lists.sources[slot] != grid::gap) isomorphism.slots.receive[i] = number;
    }
    isomorphism.regular_sizes_agree = grid::sizes_are_uniform(canonical.neighborhood);
    isomorphism.neighborhood = std::move(canonical.neighborhood);
    facts.isomorphism = std::move(isomorphism);
    facts.isomorphism_decided = true;
    return facts;
}

std::shared_ptr<const topology::Facts> facts_of(MPI_Comm cartcomm)
{
    auto facts = topology::graph_of(cartcomm, "cartcomm")->facts;
    require(facts->stencil_size.has_value(), ErrorKind::topology, "cartcomm",
            "cartcomm was not made by ORTHO_Cart_neighborhood_create");
    return facts;
}

/// Where the processes are that have a point of the grid.
planner::Layout of_the_first(int processes, planner::Layout layout)
{
    if (layout.nodes == nullptr || layout.nodes->processes() == processes) return layout;
    std::vector<int> ranks(static_cast<std::size_t>(processes));
    std::iota(ranks.begin(), ranks.end(), 0);
    auto nodes = std::make_shared<const grid::Nodes>(layout.nodes->renumbered(ranks));
    layout.one_node = nodes->count() == 1;
    layout.nodes = layout.one_node ? nullptr : std::move(nodes);
    return layout;
}

} // namespace

extern "C" {

int ORTHO_Cart_neighborhood_create(MPI_Comm comm, int d, const int dims[], const int periods[], int t,
                                   const int targetrelative[], const int weight[], MPI_Info info,
                                   int /*reorder*/, MPI_Comm* cartcomm)
{
    return guard("ORTHO_Cart_neighborhood_create", comm, [&] {
        mpi::require_comm(comm, "comm");
        require(!mpi::is_inter(comm), ErrorKind::comm, "comm", "comm is an inter-communicator");
        grid::Grid grid;
        const topology::Votes votes = topology::fail_together(comm, [&] {
            require_result(cartcomm, "cartcomm");
            grid = make_grid(comm, d, dims, periods);
            require(t >= 0, ErrorKind::arg, "t", "t = ", t, " is negative");
            if (t > 0) require_result(targetrelative, "targetrelative");
            topology::check_weights(nullptr, weight, t, "weight");
            return topology::votes_of(info);
        });
        const grid::Stencil targets(
            d, {targetrelative, targetrelative + static_cast<std::ptrdiff_t>(t) * d});
        require_same(comm, grid, targets, t > 0 && weight != MPI_UNWEIGHTED);
        topology::Settings settings = topology::agree_on_settings(comm, info, votes);

        *cartcomm = MPI_COMM_NULL;
        const mpi::Comm part = grid_comm(comm, grid);
        if (!part) return;
        topology::Facts facts = make_facts(grid, mpi::rank_of(part.get()), targets, weight);
        settings.layout = of_the_first(grid.points(), settings.layout);
        facts.settings = std::move(settings);
        mpi::Comm made = topology::make_mpi_graph(part.get(), facts);
        mpi::copy_errhandler(comm, made.get());
        topology::carry(made.get(), std::move(facts));
        topology::set_name(made.get(), std::move(grid));
        *cartcomm = made.release();
    });
}

int ORTHO_Cart_neighborhood_count(MPI_Comm cartcomm, int* t)
{
    return guard("ORTHO_Cart_neighborhood_count", cartcomm, [&] {
        const auto facts = facts_of(cartcomm);
        require_result(t, "t");
        *t = *facts->stencil_size;
    });
}

int ORTHO_Cart_neighborhood_get(MPI_Comm cartcomm, int maxin, int source[], int sourceweight[],
                                int maxout, int target[], int targetweight[])
{
    return guard("ORTHO_Cart_neighborhood_get", cartcomm, [&] {
        const auto facts = facts_of(cartcomm);
        topology::write_list(*facts, facts->lists.sources, facts->source_weights, maxin, source,
                             sourceweight, {"maxin", "source", "sourceweight"});
        topology::write_list(*facts, facts->lists.targets, facts->target_weights, maxout, target,
                             targetweight, {"maxout", "target", "targetweight"});
    });
}

} // extern "C"
