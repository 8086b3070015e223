// SPDX-License-Identifier: BSD-3-Clause
// Arrays with ghost layers, one on each process of a grid.  No MPI in this file.

#include "grid/halo_geometry.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/index.hpp"

namespace ortho::grid {

namespace {

/// The unit steps in dimension k of which n is the representative.
std::vector<int> unit_steps(const Grid& grid, int k, std::int64_t n)
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

namespace {

constexpr std::size_t most_regions = 59'049;

/// Sorted, each once, without 0.
Stencil as_regions(int d, std::vector<std::vector<int>> regions)
{
    std::erase(regions, std::vector<int>(at(d), 0));
    std::ranges::sort(regions);
    const auto repeated = std::ranges::unique(regions);
    regions.erase(repeated.begin(), repeated.end());
    Stencil result(d);
    for (const auto& region : regions) result.push_back(region);
    return result;
}

/// All combinations of numbers of which dimension k has steps(k).
template <class Steps>
void add_products(std::vector<std::vector<int>>& all, int d, Steps steps)
{
    std::vector<std::vector<int>> products{{}};
    for (int k = 0; k < d; ++k) {
        std::vector<std::vector<int>> longer;
        for (const auto& product : products) {
            for (const int n : steps(k)) {
                longer.push_back(product);
                longer.back().push_back(n);
            }
        }
        products = std::move(longer);
        base::require(all.size() + products.size() <= most_regions, base::ErrorKind::dims, "graph",
                      "graph makes more than ", most_regions, " ghost regions");
    }
    all.insert(all.end(), products.begin(), products.end());
}

} // namespace

Stencil ghost_regions(const Neighborhood& neighborhood)
{
    return ghost_regions(neighborhood.grid, neighborhood.offsets);
}

Stencil ghost_regions(const Grid& grid, const Stencil& offsets)
{
    const int d = grid.dimensions();
    std::vector<std::vector<int>> regions;
    std::set<std::vector<std::int64_t>> seen; // on small periodic grids many offsets lead to one process
    for (int i = 0; i < offsets.size(); ++i) {
        std::vector<std::int64_t> where;
        for (int k = 0; k < d; ++k) where.push_back(grid.representative(k, offsets(i, k)));
        if (!seen.insert(where).second) continue;
        add_products(regions, d, [&](int k) {
            std::vector<int> steps = unit_steps(grid, k, where[at(k)]);
            for (int& step : steps) step = -step; // the side that the data comes from
            return steps;
        });
    }
    return as_regions(d, std::move(regions));
}

Stencil regions_off_grid(const Grid& grid)
{
    const int d = grid.dimensions();
    std::vector<std::vector<int>> regions;
    const auto has_one = [&](int k) { return grid.size(k) == 1 && !grid.periodic(k); };
    for (int first = 0; first < d; ++first) {
        if (!has_one(first)) continue;
        // Dimensions before it are not left, if they have one process, too.
        add_products(regions, d, [&](int k) {
            if (k == first) return std::vector<int>{-1, 1};
            return k < first && has_one(k) ? std::vector<int>{0} : std::vector<int>{-1, 0, 1};
        });
    }
    return as_regions(d, std::move(regions));
}

Stencil Halo::steps() const
{
    std::vector<int> against(regions.flat().begin(), regions.flat().end());
    for (int& n : against) n = -n;
    return {regions.dimensions(), std::move(against)};
}

int Halo::find(std::span<const int> region, int of_field) const
{
    int low = 0;
    for (int high = slots(); low < high;) {
        const int middle = (low + high) / 2;
        const auto order = compare(regions[middle], region);
        if (order < 0 || (order == 0 && field[at(middle)] < of_field))
            low = middle + 1;
        else
            high = middle;
    }
    const bool is_there = low < slots() && field[at(low)] == of_field && compare(regions[low], region) == 0;
    return is_there ? low : -1;
}

Halo make_halo(const Grid& grid, const std::vector<Stencil>& regions_by_field)
{
    std::set<std::pair<std::vector<int>, int>> slots;
    for (std::size_t f = 0; f < regions_by_field.size(); ++f)
        for (int i = 0; i < regions_by_field[f].size(); ++i) {
            const auto region = regions_by_field[f][i];
            slots.insert({{region.begin(), region.end()}, static_cast<int>(f)});
        }
    Halo halo{grid, static_cast<int>(regions_by_field.size()), Stencil(grid.dimensions()), {}};
    for (const auto& [region, field] : slots) {
        halo.regions.push_back(region);
        halo.field.push_back(field);
    }
    return halo;
}

bool Box::is_empty() const
{
    return std::ranges::any_of(size, [](std::int64_t n) { return n <= 0; });
}

std::int64_t Box::cells() const
{
    std::int64_t result = 1;
    for (const std::int64_t n : size)
        if (__builtin_mul_overflow(result, n, &result)) return INT64_MAX;
    return result;
}

void GhostedArray::require_room(const std::string& whose) const
{
    using base::ErrorKind;
    for (std::size_t k = 0; k < sizes.size(); ++k) {
        base::require(lower[k] >= 0, ErrorKind::arg, "lower", whose, "lower[", k, "] = ", lower[k],
                      " is negative");
        base::require(upper[k] >= 0, ErrorKind::arg, "upper", whose, "upper[", k, "] = ", upper[k],
                      " is negative");
        base::require(sizes[k] >= lower[k] && sizes[k] - lower[k] >= upper[k], ErrorKind::arg, "sizes", whose,
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
        const std::int64_t first_owned = lower[at(k)];
        const std::int64_t beyond_owned = first_owned + owned(k);
        const int side = region[at(k)];
        if (side == 0) {
            box.start.push_back(first_owned);
            box.size.push_back(owned(k));
            continue;
        }
        const std::int64_t layers = depth(k, side);
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

Stencil with_layers(const Stencil& regions, const GhostedArray& shape)
{
    Stencil result(regions.dimensions());
    for (int i = 0; i < regions.size(); ++i)
        if (shape.has_depth(regions[i])) result.push_back(regions[i]);
    return result;
}

void require_owned_layers(const GhostedArray& shape, std::span<const int> region, const std::string& whose)
{
    for (int k = 0; k < shape.dimensions(); ++k) {
        const int side = region[at(k)];
        base::require(side == 0 || shape.owned(k) >= shape.depth(k, side), base::ErrorKind::arg, "sizes",
                      whose, "sizes leaves ", shape.owned(k), " owned layers in dimension ", k,
                      " of the grid, of which a neighbor has ", shape.depth(k, side), " as ghosts");
    }
}

} // namespace ortho::grid
