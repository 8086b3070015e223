// SPDX-License-Identifier: BSD-3-Clause
// A d-dimensional grid of processes: ranks and coordinates.  No MPI in this file.

#include "grid/grid.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "base/error.hpp"

namespace ortho::grid {

void require_dimensions(int d)
{
    base::require(d >= 1 && d <= most_dimensions, base::ErrorKind::dims, "d", "d = ", d,
                  " is not a number of dimensions from 1 to ", most_dimensions);
}

namespace {

std::vector<int> dimensions_in(Order order, std::size_t d)
{
    std::vector<int> result(d);
    std::iota(result.begin(), result.end(), 0);
    if (order == Order::col_major) std::ranges::reverse(result);
    return result;
}

} // namespace

Grid::Grid(const std::vector<int>& sizes, std::vector<char> periodic, Order order, const char* argument)
    : Grid(sizes, std::move(periodic), dimensions_in(order, sizes.size()), argument)
{}

Grid::Grid(std::vector<int> sizes, std::vector<char> periodic, std::vector<int> slowest_first,
           const char* argument)
    : sizes_(std::move(sizes)),
      periodic_(std::move(periodic)),
      slowest_first_(std::move(slowest_first)),
      strides_(sizes_.size())
{
    base::require(std::ranges::is_permutation(slowest_first_, dimensions_in(Order::row_major, sizes_.size())),
                  base::ErrorKind::arg, "dimorder", "dimorder does not have each of 0 to ", dimensions() - 1,
                  " once");
    // Callers pass C truth values: any number but 0 is true.
    for (char& flag : periodic_) flag = flag != 0;

    const int d = dimensions();
    std::int64_t points = 1;
    for (int k = 0; k < d; ++k) {
        base::require(size(k) >= 1, base::ErrorKind::dims, argument, argument, "[", k, "] = ", size(k),
                      " is not a positive number of processes");
    }
    for (int i = d; i-- > 0;) {
        const int k = slowest_first_[static_cast<std::size_t>(i)];
        strides_[static_cast<std::size_t>(k)] = static_cast<int>(points);
        points *= size(k);
        base::require(points <= std::numeric_limits<int>::max(), base::ErrorKind::dims, argument, argument,
                      " gives a grid of more than ", std::numeric_limits<int>::max(), " processes");
    }
    points_ = static_cast<int>(points);
}

Grid Grid::with_ranks(std::vector<int> ranks) const
{
    Grid result = *this;
    result.places_.assign(ranks.size(), nowhere);
    result.points_ = 0;
    for (std::size_t place = 0; place < ranks.size(); ++place) {
        const int rank = ranks[place];
        if (rank == nowhere) continue;
        ++result.points_;
        const auto i = static_cast<std::size_t>(rank);
        base::require(rank >= 0 && i < ranks.size() && result.places_[i] == nowhere, base::ErrorKind::arg,
                      "ranks", "ranks[", place, "] = ", rank,
                      ", which is negative, too large, or there twice");
        result.places_[i] = static_cast<int>(place);
    }
    result.places_.resize(static_cast<std::size_t>(result.points_));
    base::require(std::ranges::find(result.places_, nowhere) == result.places_.end(), base::ErrorKind::arg,
                  "ranks", "ranks has ", result.points_, " processes, and not all of the first ",
                  result.points_);
    result.ranks_ = std::move(ranks);
    return result;
}

bool Grid::is(Order order) const { return slowest_first_ == dimensions_in(order, sizes_.size()); }

bool Grid::is_torus() const
{
    return is_full() && std::ranges::all_of(periodic_, [](char flag) { return flag != 0; });
}

int Grid::rank(std::span<const int> coordinates) const
{
    int result = 0;
    for (int k = 0; k < dimensions(); ++k) {
        const auto i = static_cast<std::size_t>(k);
        const int c = wrap(k, coordinates[i]);
        if (c == nowhere) return nowhere;
        result += c * strides_[i];
    }
    return number(result);
}

std::vector<int> Grid::coordinates(int rank) const
{
    std::vector<int> result(sizes_.size());
    coordinates(rank, result);
    return result;
}

int Grid::displaced(int from, std::span<const int> offset, int sign) const
{
    int result = place(from);
    for (int k = 0; k < dimensions(); ++k) {
        const auto i = static_cast<std::size_t>(k);
        if (offset[i] == 0) continue; // most offsets are 0, and divisions take time
        const int here = coordinate(from, k);
        const int there = wrap(k, here + std::int64_t{sign} * offset[i]);
        if (there == nowhere) return nowhere;
        result += (there - here) * strides_[i];
    }
    return number(result);
}

int Grid::neighbor(int from, std::span<const int> offset) const { return displaced(from, offset, +1); }

int Grid::neighbor_against(int to, std::span<const int> offset) const { return displaced(to, offset, -1); }

void Grid::offset(int from, int to, std::span<int> result) const
{
    for (int k = 0; k < dimensions(); ++k) {
        const std::int64_t difference = std::int64_t{coordinate(to, k)} - coordinate(from, k);
        result[static_cast<std::size_t>(k)] = static_cast<int>(representative(k, difference));
    }
}

} // namespace ortho::grid
