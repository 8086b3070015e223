// SPDX-License-Identifier: BSD-3-Clause
// The public calls that make grids with stencils and tell about them, and those that use the nodes: a
// Cartesian communicator that fits them, and its sizes.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "agree/on_comm.hpp"
#include "base/index.hpp"
#include "grid/stencil.hpp"
#include "mpi/comm.hpp"
#include "mpi/error_handling.hpp"
#include "mpiortho.h"
#include "placement/dims.hpp"
#include "topology/agreed_settings.hpp"
#include "topology/agreement.hpp"
#include "topology/cart_name.hpp"
#include "topology/graph.hpp"
#include "topology/grid_graph.hpp"
#include "topology/neighbor_lists.hpp"
#include "topology/rank_order.hpp"

namespace {

using namespace ortho;
using base::ErrorKind;
using base::require;
using mpi::guard;
using mpi::require_result;

std::shared_ptr<const topology::GraphInfo> graph_info_of(MPI_Comm cartcomm, const char* argument = "cartcomm")
{
    auto graph_info = topology::graph_of(cartcomm, argument)->graph_info;
    require(graph_info->stencil.has_value(), ErrorKind::topology, argument, argument,
            " was not made by ORTHO_Cart_neighborhood_create");
    return graph_info;
}

/// Do the two offsets lead to one process from each process?
bool are_the_same(const grid::Grid& grid, std::span<const int> a, std::span<const int> b)
{
    for (int k = 0; k < grid.dimensions(); ++k) {
        const std::int64_t difference = std::int64_t{a[at(k)]} - b[at(k)];
        if (grid.periodic(k) ? difference % grid.size(k) != 0 : difference != 0) return false;
    }
    return true;
}

/// The first offset equal to the given one, or else the first one to the same process; -1 if there is none.
int slot_of(const grid::Grid& grid, const grid::Stencil& stencil, const int offset[])
{
    const std::span<const int> wanted{offset, at(stencil.dimensions())};
    for (int i = 0; i < stencil.size(); ++i)
        if (std::ranges::equal(stencil[i], wanted)) return i;
    for (int i = 0; i < stencil.size(); ++i)
        if (are_the_same(grid, stencil[i], wanted)) return i;
    return -1;
}

} // namespace

extern "C" {

int ORTHO_Cart_neighborhood_create(MPI_Comm comm, int d, const int dims[], const int periods[], int t,
                                   const int targetrelative[], const int weight[], MPI_Info info, int reorder,
                                   MPI_Comm* cartcomm)
{
    return guard("ORTHO_Cart_neighborhood_create", comm, [&] {
        mpi::require_intra(comm, "comm");
        grid::Grid grid;
        grid::Stencil targets;
        agree::Ballot ballot;
        const agree::AllTrue all_reorder(ballot, reorder != 0);
        topology::Alike alike(ballot);
        topology::SharingVote sharing(ballot);
        topology::Settings settings = topology::check_and_agree(ballot, comm, info, [&] {
            require_result(cartcomm, "cartcomm");
            grid = topology::make_grid(comm, d, dims, periods);
            require(t >= 0, ErrorKind::arg, "t", "t = ", t, " is negative");
            if (t > 0) require_result(targetrelative, "targetrelative");
            topology::check_weights(nullptr, weight, t, "weight");
            targets = {d, {targetrelative, targetrelative + static_cast<std::ptrdiff_t>(t) * d}};
            alike.add(grid);
            alike.add(t, "t");
            alike.add(weight != MPI_UNWEIGHTED ? 1 : 0, "weight");
            for (const int n : targets.flat()) alike.add(n, "targetrelative");
            alike.say();
            sharing.say(comm, topology::graphs_alive());
        });
        sharing.hear(settings.layout.one_node);
        alike.require_everywhere(comm);

        const topology::RankOrder order = all_reorder.holds()
                                              ? topology::place(comm, settings.layout.nodes.get(), grid,
                                                                targets, weight)
                                              : topology::as_given(grid.points());
        *cartcomm = MPI_COMM_NULL;
        const bool stays = order.is_as_given() && grid.points() == mpi::size_of(comm);
        const mpi::Comm part = stays ? mpi::Comm() : topology::in_order(comm, order);
        if (!stays && !part) return;
        MPI_Comm const parent = stays ? comm : part.get();
        topology::GraphInfo graph_info = topology::grid_graph(grid, mpi::rank_of(parent), targets, weight);
        graph_info.settings = topology::in_order(std::move(settings), order);
        graph_info.placement = order.note;
        topology::Prepared prepared;
        if (stays) prepared = topology::prepare(sharing.agreed(comm), *graph_info.settings);
        mpi::Comm made = topology::make_mpi_graph(parent, graph_info, prepared);
        if (!stays) prepared.private_comm = sharing.agreed_alone(made.get());
        graph_info.stays_detached = !prepared.private_comm && !graph_info.settings->need_own_comm();
        topology::carry(made.get(), std::move(graph_info), std::move(prepared));
        topology::set_name(made.get(), std::move(grid));
        *cartcomm = made.release();
    });
}

int ORTHO_Cart_neighborhood_count(MPI_Comm cartcomm, int* t)
{
    return guard("ORTHO_Cart_neighborhood_count", cartcomm, [&] {
        const auto graph_info = graph_info_of(cartcomm);
        require_result(t, "t");
        *t = graph_info->stencil->size();
    });
}

int ORTHO_Cart_neighborhood_get(MPI_Comm cartcomm, int maxin, int source[], int sourceweight[], int maxout,
                                int target[], int targetweight[])
{
    return guard("ORTHO_Cart_neighborhood_get", cartcomm, [&] {
        const auto graph_info = graph_info_of(cartcomm);
        topology::write_list(*graph_info, graph_info->lists.sources, graph_info->source_weights, maxin,
                             source, sourceweight, {"maxin", "source", "sourceweight"});
        topology::write_list(*graph_info, graph_info->lists.targets, graph_info->target_weights, maxout,
                             target, targetweight, {"maxout", "target", "targetweight"});
    });
}

int ORTHO_Cart_neighborhood_offsets(MPI_Comm graph, int maxn, int offsets[])
{
    return guard("ORTHO_Cart_neighborhood_offsets", graph, [&] {
        const auto graph_info = graph_info_of(graph, "graph");
        require(maxn >= 0, ErrorKind::arg, "maxn", "maxn = ", maxn, " is negative");
        if (maxn > 0) require_result(offsets, "offsets");
        const grid::Stencil& stencil = *graph_info->stencil;
        const int n = std::min(maxn, stencil.size());
        std::ranges::copy(stencil.flat().first(at(std::int64_t{n} * stencil.dimensions())), offsets);
    });
}

int ORTHO_Cart_neighborhood_find(MPI_Comm graph, const int offset[], int* inneighbor, int* outneighbor)
{
    return guard("ORTHO_Cart_neighborhood_find", graph, [&] {
        const auto graph_info = graph_info_of(graph, "graph");
        const grid::Stencil& stencil = *graph_info->stencil;
        if (stencil.dimensions() > 0) require_result(offset, "offset");
        require_result(inneighbor, "inneighbor");
        require_result(outneighbor, "outneighbor");
        // The k-th offset has the k-th slot of both lists.
        *inneighbor = *outneighbor = slot_of(graph_info->isomorphism->neighborhood.grid, stencil, offset);
    });
}

int ORTHO_Nodecart_create(MPI_Comm comm, int d, const int dims[], const int periods[], int reorder,
                          MPI_Comm* cart)
{
    return guard("ORTHO_Nodecart_create", comm, [&] {
        mpi::require_intra(comm, "comm");
        grid::Grid grid;
        agree::Ballot ballot;
        const agree::AllTrue all_reorder(ballot, reorder != 0);
        topology::Alike alike(ballot);
        const topology::Checked checked(ballot, [&] {
            require_result(cart, "cart");
            grid = topology::make_grid(comm, d, dims, periods);
            alike.add(grid);
            alike.say();
        });
        agree::hold(comm, ballot);
        checked.require(comm);
        alike.require_everywhere(comm);

        const auto order = all_reorder.holds() ? topology::place(comm, topology::agree_on_nodes(comm).get(),
                                                                 grid, grid::axis_steps(d))
                                               : topology::as_given(grid.points());
        *cart = MPI_COMM_NULL;
        const mpi::Comm part = topology::in_order(comm, order);
        if (!part) return;
        mpi::check_users(PMPI_Cart_create(part.get(), d, dims, periods, 0, cart));
    });
}

int ORTHO_Dims_create(MPI_Comm comm, int d, int dims[])
{
    return guard("ORTHO_Dims_create", comm, [&] {
        mpi::require_intra(comm, "comm");
        agree::Ballot ballot;
        topology::Alike alike(ballot);
        const topology::Checked checked(ballot, [&] {
            grid::require_dimensions(d);
            require_result(dims, "dims");
            alike.add(d, "d");
            for (int k = 0; k < d; ++k) alike.add(dims[k], "dims");
            alike.say();
        });
        agree::hold(comm, ballot);
        checked.require(comm);
        alike.require_everywhere(comm);
        const auto chosen = placement::choose_dims(mpi::size_of(comm), {dims, dims + d},
                                                   topology::agree_on_nodes(comm).get());
        std::ranges::copy(chosen, dims);
    });
}

} // extern "C"
