// SPDX-License-Identifier: BSD-3-Clause
// What the constructors of grids of processes are given.

#include "topology/cart_arguments.hpp"

#include <utility>

#include "mpi/comm.hpp"
#include "mpi/error.hpp"
#include "topology/agreement.hpp"

namespace ortho::topology {

using base::ErrorKind;
using base::require;

grid::Grid make_grid(MPI_Comm comm, int d, const int dims[], const int periods[])
{
    require(d >= 1, ErrorKind::dims, "d", "d = ", d, " is not a positive number of dimensions");
    mpi::require_result(dims, "dims");
    mpi::require_result(periods, "periods");
    std::vector<char> periodic;
    for (int k = 0; k < d; ++k) periodic.push_back(periods[k] != 0);
    grid::Grid grid({dims, dims + d}, std::move(periodic), grid::Order::row_major, "dims");
    require(grid.points() <= mpi::size_of(comm), ErrorKind::dims, "dims", "dims gives a grid of ",
            grid.points(), " processes on a communicator of ", mpi::size_of(comm));
    return grid;
}

void Alike::add(int number, const char* argument)
{
    numbers_.push_back(number);
    arguments_.push_back(argument);
}

void Alike::add(const grid::Grid& grid)
{
    add(grid.dimensions(), "d");
    for (int k = 0; k < grid.dimensions(); ++k) add(grid.size(k), "dims");
    for (int k = 0; k < grid.dimensions(); ++k) add(grid.periodic(k) ? 1 : 0, "periods");
}

void Alike::require_everywhere(MPI_Comm comm) const
{
    const auto difference = first_difference(comm, numbers_);
    if (!difference) return;
    // Beyond the end: the lists have different lengths.
    const char* const argument = *difference < arguments_.size() ? arguments_[*difference] : "d or t";
    base::fail(ErrorKind::mismatch, argument, argument, " is not the same on all processes");
}

} // namespace ortho::topology
