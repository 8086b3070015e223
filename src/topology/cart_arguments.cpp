// SPDX-License-Identifier: BSD-3-Clause
// Arguments of the constructors of grids of processes.

#include "topology/cart_arguments.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "agree/on_comm.hpp"
#include "base/index.hpp"
#include "base/text.hpp"
#include "mpi/comm.hpp"
#include "mpi/error_handling.hpp"

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
    if (list_.holds()) return;
    // Lists of one length can be compared number by number.
    const long long length = std::ssize(numbers_);
    base::require(!agree::find_difference(comm, {&length, 1}), ErrorKind::mismatch, "d or t",
                  "d or t is not the same on all processes");
    const auto difference = agree::find_difference(comm,
                                                   std::vector<long long>(numbers_.begin(), numbers_.end()));
    base::require(difference.has_value(), ErrorKind::intern, "arguments", "equal lists look different");
    const std::size_t i = difference->index;
    const char* const argument = arguments_[i];
    const auto first = std::ranges::find(arguments_, std::string_view(argument),
                                         [](const char* a) { return std::string_view(a); });
    const bool is_list = std::ranges::count(arguments_, std::string_view(argument),
                                            [](const char* a) { return std::string_view(a); }) > 1;
    base::fail(ErrorKind::mismatch, argument, argument,
               is_list ? base::text("[", i - at(first - arguments_.begin()), "]") : "",
               " is not the same on all processes: ", difference->on_rank_0, " on rank 0, ",
               difference->there, " on rank ", difference->rank);
}

} // namespace ortho::topology
