// SPDX-License-Identifier: BSD-3-Clause
// The public calls that use the nodes: a Cartesian communicator that fits them, and its sizes.

#include <algorithm>
#include <vector>

#include "agree/on_comm.hpp"
#include "mpi/comm.hpp"
#include "mpi/error_handling.hpp"
#include "mpiortho.h"
#include "placement/dims.hpp"
#include "topology/agreed_settings.hpp"
#include "topology/agreement.hpp"
#include "topology/cart_arguments.hpp"
#include "topology/rank_order.hpp"

namespace {

using namespace ortho;
using base::require;
using mpi::guard;
using mpi::require_result;

} // namespace

extern "C" {

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
