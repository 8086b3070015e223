// SPDX-License-Identifier: BSD-3-Clause
// What the constructors of grids of processes are given.

#include "topology/cart_arguments.hpp"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include "base/index.hpp"
#include "base/text.hpp"
#include "mpi/comm.hpp"
#include "mpi/error_handling.hpp"
#include "mpi/internal_collectives.hpp"
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
    const std::size_t i = *difference;
    if (i >= arguments_.size())
        base::fail(ErrorKind::mismatch, "d or t", "d or t is not the same on all processes");
    const char* const argument = arguments_[i];
    const auto first = std::ranges::find(arguments_, std::string_view(argument),
                                         [](const char* a) { return std::string_view(a); });
    // The first process that has another number than rank 0, and that number.
    int on_0 = numbers_[i];
    mpi::broadcast(comm, &on_0, sizeof on_0);
    int other[] = {numbers_[i] != on_0 ? -mpi::rank_of(comm) : std::numeric_limits<int>::min()};
    mpi::maximize(comm, other);
    int there[] = {mpi::rank_of(comm) == -other[0] ? numbers_[i] : std::numeric_limits<int>::min()};
    mpi::maximize(comm, there);
    const bool is_list = std::ranges::count(arguments_, std::string_view(argument),
                                            [](const char* a) { return std::string_view(a); }) > 1;
    base::fail(ErrorKind::mismatch, argument, argument,
               is_list ? base::text("[", i - at(first - arguments_.begin()), "]") : "",
               " is not the same on all processes: ", on_0, " on rank 0, ", there[0], " on rank ", -other[0]);
}

} // namespace ortho::topology
