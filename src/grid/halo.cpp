// SPDX-License-Identifier: BSD-3-Clause
// Arrays with ghost layers, one on each process of a grid.  No MPI in this file.

#include "grid/halo.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/error.hpp"
#include "base/index.hpp"

namespace ortho::grid {

namespace {

/// The unit steps in dimension k of which n is the representative.
std::vector<int> unit_steps(const Grid& grid, int k, int n)
{
    std::vector<int> result;
    for (const int step : {-1, 0, 1})
        if (grid.representative(k, step) == n) result.push_back(step);
    return result;
}

} // namespace

int first_beyond_unit_steps(const Neighborhood& neighborhood)
{
    // Representatives are as short as can be.
    for (int i = 0; i < neighborhood.size(); ++i)
        for (const int n : neighborhood.offsets[i])
            if (std::abs(n) > 1) return i;
    return -1;
}

Stencil ghost_regions(const Neighborhood& neighborhood)
{
    constexpr std::size_t most = 59'049;
    const int d = neighborhood.dimensions();
    std::vector<std::vector<int>> regions;
    for (int i = 0; i < neighborhood.size(); ++i) {
        // All steps of this offset, dimension by dimension.
        std::vector<std::vector<int>> steps{{}};
        for (int k = 0; k < d; ++k) {
            std::vector<std::vector<int>> longer;
            for (const auto& step : steps) {
                for (const int n : unit_steps(neighborhood.grid, k, neighborhood.offsets(i, k))) {
                    longer.push_back(step);
                    longer.back().push_back(-n);
                }
            }
            steps = std::move(longer);
            base::require(regions.size() + steps.size() <= most, base::ErrorKind::dims, "graph",
                          "graph makes more than ", most, " ghost regions");
        }
        regions.insert(regions.end(), steps.begin(), steps.end());
    }
    std::erase(regions, std::vector<int>(at(d), 0));
    std::ranges::sort(regions);
    const auto repeated = std::ranges::unique(regions);
    regions.erase(repeated.begin(), repeated.end());
    Stencil result(d);
    for (const auto& region : regions) result.push_back(region);
    return result;
}

bool Box::is_empty() const
{
    return std::ranges::any_of(size, [](int n) { return n <= 0; });
}

bool GhostedArray::has_depth(std::span<const int> region) const
{
    for (int k = 0; k < dimensions(); ++k)
        if (region[at(k)] != 0 && depth(k, region[at(k)]) == 0) return false;
    return true;
}

Box GhostedArray::box(std::span<const int> region, std::span<const int> via) const
{
    Box box;
    for (int k = 0; k < dimensions(); ++k) {
        const int first_owned = lower[at(k)];
        const int beyond_owned = first_owned + owned(k);
        const int side = region[at(k)];
        const int layers = depth(k, side);
        if (side == 0) {
            box.start.push_back(first_owned);
            box.size.push_back(owned(k));
            continue;
        }
        // What lies beyond a low face are the last layers of the process there, and the other way round.
        const bool ghosts = via[at(k)] != 0;
        if (side < 0)
            box.start.push_back(ghosts ? 0 : beyond_owned - layers);
        else
            box.start.push_back(ghosts ? beyond_owned : first_owned);
        box.size.push_back(layers);
    }
    return box;
}

} // namespace ortho::grid
