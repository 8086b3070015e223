// SPDX-License-Identifier: BSD-3-Clause
// Arrays with ghost layers, one on each process of a grid.  No MPI in this file.

#include "grid/halo_geometry.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
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

void require_unit_steps(const Neighborhood& neighborhood)
{
    const int i = first_beyond_unit_steps(neighborhood);
    if (i < 0) return;
    std::string offset;
    for (const int n : neighborhood.offsets[i]) offset += base::text(offset.empty() ? "" : ",", n);
    base::fail(base::ErrorKind::arg, "graph", "graph has the offset (", offset,
               "), which leads further than to the next process in a dimension");
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

std::int64_t Box::cells() const
{
    std::int64_t result = 1;
    for (const int n : size)
        if (__builtin_mul_overflow(result, std::int64_t{n}, &result)) return INT64_MAX;
    return result;
}

void GhostedArray::require_room() const
{
    using base::ErrorKind;
    for (std::size_t k = 0; k < sizes.size(); ++k) {
        base::require(lower[k] >= 0, ErrorKind::arg, "lower", "lower[", k, "] = ", lower[k], " is negative");
        base::require(upper[k] >= 0, ErrorKind::arg, "upper", "upper[", k, "] = ", upper[k], " is negative");
        base::require(std::int64_t{sizes[k]} >= std::int64_t{lower[k]} + upper[k], ErrorKind::arg, "sizes",
                      "sizes[", k, "] = ", sizes[k], " has no room for ", lower[k], " and ", upper[k],
                      " ghost layers");
    }
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

Halo make_halo(const Neighborhood& neighborhood, const GhostedArray& shape, int fields)
{
    Halo result{neighborhood.grid, Stencil(neighborhood.dimensions()), fields};
    const Stencil regions = ghost_regions(neighborhood);
    for (int i = 0; i < regions.size(); ++i)
        if (shape.has_depth(regions[i])) result.regions.push_back(regions[i]);
    return result;
}

void require_owned_layers(const GhostedArray& shape, std::span<const int> region)
{
    for (int k = 0; k < shape.dimensions(); ++k) {
        const int side = region[at(k)];
        base::require(side == 0 || shape.owned(k) >= shape.depth(k, side), base::ErrorKind::arg, "sizes",
                      "sizes[", k, "] = ", shape.sizes[at(k)], " leaves ", shape.owned(k),
                      " owned layers, of which a neighbor has ", shape.depth(k, side), " as ghosts");
    }
}

std::int64_t ghost_cells(const Halo& halo, const GhostedArray& shape)
{
    std::int64_t result = 0;
    for (int i = 0; i < halo.regions.size(); ++i)
        if (__builtin_add_overflow(result, shape.box(halo.regions[i], halo.regions[i]).cells(), &result))
            return INT64_MAX;
    return result;
}

} // namespace ortho::grid
