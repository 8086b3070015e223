// SPDX-License-Identifier: BSD-3-Clause
// The public calls about names that are collective.

#include "grid/grid.hpp"
#include "mpi/comm.hpp"
#include "mpi/error_handling.hpp"
#include "mpiortho.h"
#include "topology/agreement.hpp"
#include "topology/cart_name.hpp"
#include "topology/graph_consistency.hpp"

namespace {

using namespace ortho;
using mpi::guard;
using mpi::require_result;

/// A number that is equal on two processes iff they agree in all excluded dimensions.
int color_of(const grid::Grid& grid, int rank, const int excluded[])
{
    int color = 0;
    for (int k = 0; k < grid.dimensions(); ++k)
        if (excluded[k] != 0) color = color * grid.size(k) + grid.coordinate(rank, k);
    return color;
}

} // namespace

extern "C" {

int ORTHO_Cart_testall(MPI_Comm cart, int* flag, int* d, int* size)
{
    return guard("ORTHO_Cart_testall", cart, [&] {
        mpi::require_intra(cart, "cart");
        topology::check_and_meet(cart, [&] {
            require_result(flag, "flag");
            require_result(d, "d");
            require_result(size, "size");
        });
        const grid::Grid* const grid = topology::find_name(cart);
        *flag = topology::same_name_everywhere(cart, grid) ? 1 : 0;
        *d = grid != nullptr ? grid->dimensions() : 0;
        *size = grid != nullptr ? grid->points() : 0;
    });
}

int ORTHO_Cart_create_sub(MPI_Comm cart, const int excluded[], MPI_Comm* subcart)
{
    return guard("ORTHO_Cart_create_sub", cart, [&] {
        mpi::require_intra(cart, "cart");
        const grid::Grid* grid = nullptr;
        topology::fail_together(cart, [&] {
            grid = &topology::name_of(cart);
            require_result(excluded, "excluded");
            require_result(subcart, "subcart");
        });
        if (!topology::same_name_everywhere(cart, grid)) topology::require_same_name(cart, grid, "cart");
        const int rank = mpi::rank_of(cart);
        const int color = rank < grid->points() ? color_of(*grid, rank, excluded) : MPI_UNDEFINED;
        mpi::check_users(PMPI_Comm_split(cart, color, rank, subcart));
    });
}

} // extern "C"
