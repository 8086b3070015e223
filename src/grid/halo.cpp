// SPDX-License-Identifier: BSD-3-Clause
// Arrays with ghost layers, one on each process of a grid.  No MPI in this file.

#include "grid/halo.hpp"

#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/index.hpp"

namespace ortho::grid {

namespace {

/// The unit steps in dimension k that lead where n leads.
std::vector<int> unit_steps(const Grid& grid, int k, int n)
{
    std::vector<int> result;
    for (const int step : {-1, 0, 1})
        if (grid.representative(k, step) == grid.representative(k, n)) result.push_back(step);
    return result;
}

} // namespace

std::vector<int> against(std::span<const int> offsets)
{
    std::vector<int> result(offsets.begin(), offsets.end());
    for (int& n : result) n = -n;
    return result;
}

int first_beyond_unit_steps(const Stencil& offsets)
{
    for (int i = 0; i < offsets.size(); ++i)
        if (std::ranges::any_of(offsets[i], [](int n) { return n < -1 || n > 1; })) return i;
    return -1;
}

void require_unit_steps(const Stencil& offsets)
{
    const int i = first_beyond_unit_steps(offsets);
    if (i < 0) return;
    std::string offset;
    for (const int n : offsets[i]) offset += base::text(offset.empty() ? "" : ",", n);
    base::fail(base::ErrorKind::arg, "graph", "graph has the offset (", offset,
               "), which leads further than to the next process in a dimension");
}

namespace {

void require_few(std::size_t regions)
{
    constexpr std::size_t most_regions = 59'049;
    base::require(regions <= most_regions, base::ErrorKind::dims, "graph", "graph makes more than ",
                  most_regions, " ghost regions");
}

/// The regions, sorted, each once, without 0.
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

/// Adds all combinations of numbers; steps(k) are the numbers of dimension k.
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
        require_few(all.size() + products.size());
    }
    all.insert(all.end(), products.begin(), products.end());
}

} // namespace

Stencil ghost_regions(const Stencil& offsets)
{
    std::vector<std::vector<int>> regions;
    for (int i = 0; i < offsets.size(); ++i) regions.push_back(against(offsets[i]));
    Stencil result = as_regions(offsets.dimensions(), std::move(regions));
    require_few(at(result.size()));
    return result;
}

Stencil ghost_regions(const Neighborhood& neighborhood)
{
    const Grid& grid = neighborhood.grid;
    const int d = grid.dimensions();
    std::vector<std::vector<int>> regions;
    for (int i = 0; i < neighborhood.size(); ++i) {
        if (i > 0 && compare(neighborhood.offsets[i], neighborhood.offsets[i - 1]) == 0) continue;
        const std::vector<int> side = against(neighborhood.offsets[i]); // the side that the data comes from
        add_products(regions, d, [&](int k) { return unit_steps(grid, k, side[at(k)]); });
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
        // Regions do not leave the grid in earlier dimensions with one process.
        add_products(regions, d, [&](int k) {
            if (k == first) return std::vector<int>{-1, 1};
            return k < first && has_one(k) ? std::vector<int>{0} : std::vector<int>{-1, 0, 1};
        });
    }
    return as_regions(d, std::move(regions));
}

Stencil regions_on_grid(const Grid& grid, const Stencil& regions)
{
    Stencil result(regions.dimensions());
    for (int i = 0; i < regions.size(); ++i)
        if (!leaves_everywhere(grid, regions[i])) result.push_back(regions[i]);
    return result;
}

Stencil Halo::steps() const { return {regions.dimensions(), against(regions.flat())}; }

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
        if (const int side = side_of(region, k); side != 0 && depth(k, side) == 0) return false;
    return true;
}

Box GhostedArray::box(std::span<const int> region, std::span<const int> via) const
{
    Box box;
    for (int k = 0; k < dimensions(); ++k) {
        const std::int64_t first_owned = lower[at(k)];
        const std::int64_t beyond_owned = first_owned + owned(k);
        const int side = side_of(region, k);
        if (side == 0) {
            box.start.push_back(first_owned);
            box.size.push_back(owned(k));
            continue;
        }
        const std::int64_t layers = depth(k, side);
        // The cells beyond a low face are the last layers of the process there, and the other way round.
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
        const int side = GhostedArray::side_of(region, k);
        base::require(side == 0 || shape.owned(k) >= shape.depth(k, side), base::ErrorKind::arg, "sizes",
                      whose, "sizes leaves ", shape.owned(k), " owned layers in dimension ", k,
                      " of the grid, but ghosts are ", shape.depth(k, side), " layers wide");
    }
}

} // namespace ortho::grid
