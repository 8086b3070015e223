// SPDX-License-Identifier: BSD-3-Clause
// Arguments of the constructors of grids of processes.

#include "topology/cart_arguments.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <string_view>
#include <utility>

#include "agree/on_comm.hpp"
#include "base/index.hpp"
#include "base/text.hpp"
#include "mpi/comm.hpp"
#include "mpi/error_handling.hpp"

namespace ortho::topology {

using base::ErrorKind;

grid::Grid make_grid(MPI_Comm comm, int d, const int dims[], const int periods[])
{
    grid::require_dimensions(d);
    mpi::require_result(dims, "dims");
    mpi::require_result(periods, "periods");
    std::vector<char> periodic;
    for (int k = 0; k < d; ++k) periodic.push_back(periods[k] != 0);
    grid::Grid grid({dims, dims + d}, std::move(periodic), grid::Order::row_major, "dims");
    base::require(grid.points() <= mpi::size_of(comm), ErrorKind::dims, "dims", "dims gives a grid of ",
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
    // d and t decide how long the lists are.  Lists of one length can be compared number by number.
    std::vector<std::size_t> scalars;
    std::vector<std::size_t> all(numbers_.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    std::ranges::copy_if(all, std::back_inserter(scalars), [&](std::size_t i) {
        return std::string_view(arguments_[i]) == "d" || std::string_view(arguments_[i]) == "t";
    });
    require_same(comm, scalars);
    require_same(comm, all);
    base::fail(ErrorKind::intern, "arguments", "equal lists look different");
}

void Alike::require_same(MPI_Comm comm, const std::vector<std::size_t>& which) const
{
    std::vector<long long> numbers;
    for (const std::size_t i : which) numbers.push_back(numbers_[i]);
    const auto difference = agree::find_difference(comm, numbers);
    if (!difference) return;
    const std::size_t i = which[difference->index];
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
