// SPDX-License-Identifier: BSD-3-Clause
// Points of a grid that are a grid themselves.  No MPI in this file.

#include "grid/subgrid.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/index.hpp"

namespace ortho::grid {

namespace {

/// Coordinates k of the points, each once, in the order of the points.
std::vector<int> distinct_coordinates(const Grid& grid, std::span<const int> points, int k)
{
    std::vector<char> seen(at(grid.size(k)), 0);
    std::vector<int> result;
    for (const int point : points) {
        const int c = grid.coordinate(point, k);
        if (std::exchange(seen[at(c)], 1) == 0) result.push_back(c);
    }
    return result;
}

/// Nothing unless the coordinates are equidistant in dimension k.  True if the next step from the last one
/// leads around the dimension to the first.
std::optional<bool> equidistant(const Grid& grid, int k, const std::vector<int>& coordinates)
{
    const bool is_one = coordinates.size() == 1;
    // Only in a dimension of size 1 does a step lead from a coordinate to itself.
    const std::int64_t step = is_one ? 1 : coordinates[1] - coordinates[0];
    for (std::size_t i = 1; i < coordinates.size(); ++i)
        if (grid.wrap(k, coordinates[i - 1] + step) != coordinates[i]) return std::nullopt;
    return grid.wrap(k, coordinates.back() + step) == coordinates.front();
}

} // namespace

std::optional<Grid> subgrid(const Grid& grid, std::span<const int> points)
{
    std::vector<int> sizes;
    std::vector<char> periodic;
    std::vector<std::vector<int>> coordinates; // of the grid, by dimension and coordinate of the result
    if (points.empty()) return std::nullopt;
    std::int64_t product = 1; // at most the grid's points
    for (int k = 0; k < grid.dimensions(); ++k) {
        coordinates.push_back(distinct_coordinates(grid, points, k));
        const std::optional<bool> leads_around = equidistant(grid, k, coordinates.back());
        if (!leads_around) return std::nullopt;
        sizes.push_back(static_cast<int>(coordinates.back().size()));
        periodic.push_back(*leads_around ? 1 : 0);
        product *= sizes.back();
    }
    if (product != std::ssize(points)) return std::nullopt;

    Grid result(std::move(sizes), std::move(periodic), grid.slowest_first());
    for (int i = 0; i < result.points(); ++i)
        for (int k = 0; k < grid.dimensions(); ++k)
            if (grid.coordinate(points[at(i)], k) != coordinates[at(k)][at(result.coordinate(i, k))])
                return std::nullopt;
    return result;
}

} // namespace ortho::grid
