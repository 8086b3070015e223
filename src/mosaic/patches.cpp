// SPDX-License-Identifier: BSD-3-Clause
// Boxes of tiles that processes own.  No MPI in this file.

#include "mosaic/patches.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "base/arithmetic.hpp"
#include "base/error.hpp"
#include "base/index.hpp"

namespace ortho::mosaic {

using base::ErrorKind;
using base::require;

bool is_before_on_curve(const Index& a, const Index& b)
{
    // The dimension with the highest bit that differs decides.
    std::size_t decides = 0;
    std::uint64_t highest = 0;
    for (std::size_t k = 0; k < most_dimensions; ++k) {
        const std::uint64_t differs = static_cast<std::uint64_t>(a[k]) ^ static_cast<std::uint64_t>(b[k]);
        const bool is_higher = highest < differs && highest < (highest ^ differs);
        if (!is_higher) continue;
        decides = k;
        highest = differs;
    }
    return a[decides] < b[decides];
}

Patches::Patches(std::vector<Patch> patches) : patches_(std::move(patches)), order_(patches_.size())
{
    std::iota(order_.begin(), order_.end(), 0U);
    std::ranges::sort(order_, [&](std::uint32_t a, std::uint32_t b) {
        const Patch& first = patches_[a];
        const Patch& second = patches_[b];
        if (first.tile != second.tile) return first.tile < second.tile;
        return is_before_on_curve(first.cells.first, second.cells.first);
    });
    for (std::size_t level = 0; size(level) > 1; ++level) {
        std::vector<Node> above;
        above.reserve(base::divided_up(size(level), fan_out));
        for (std::size_t i = 0; i < size(level); ++i) {
            const Node below = node(level, i);
            if (i % fan_out == 0) above.push_back(below);
            Node& last = above.back();
            last.last_tile = below.last_tile;
            for (std::size_t k = 0; k < most_dimensions; ++k)
                last.cells.set(k, std::min(last.cells.first[k], below.cells.first[k]),
                               std::max(last.cells.end(k), below.cells.end(k)));
        }
        levels_.push_back(std::move(above));
    }
}

std::int64_t Patches::owner(int tile, const Index& cell) const
{
    std::int64_t result = -1;
    each_in(tile, {cell, {1, 1, 1, 1}},
            [&](std::size_t patch) { result = static_cast<std::int64_t>(patch); });
    return result;
}

void Patches::require_apart(int d, std::size_t begin, std::size_t count) const
{
    for (std::size_t number = begin; number < begin + count; ++number)
        each_in(patches_[number].tile, patches_[number].cells, [&](std::size_t other) {
            require(other == number, ErrorKind::arg, "patches", "patches[", number - begin,
                    "] has cells of tile ", patches_[number].tile,
                    " that another patch has, which begins at cell ",
                    text_of(patches_[other].cells.first, d));
        });
}

void require_inside(const Tiles& tiles, std::span<const Patch> patches)
{
    for (std::size_t i = 0; i < patches.size(); ++i) {
        const auto& [tile, cells] = patches[i];
        require(tile >= 0 && tile < tiles.number(), ErrorKind::arg, "patches", "patches[", i,
                "].tile = ", tile, " is none of ", tiles.number(), " tiles");
        for (std::size_t k = 0; k < at(tiles.dimensions()); ++k) {
            const std::int64_t size = tiles.size(tile)[k];
            require(cells.count[k] > 0, ErrorKind::arg, "patches", "patches[", i, "].count[", k,
                    "] = ", cells.count[k], " is not positive");
            require(cells.first[k] >= 0 && cells.first[k] < size && cells.count[k] <= size - cells.first[k],
                    ErrorKind::arg, "patches", "patches[", i, "] leaves its tile: it has ", cells.count[k],
                    " cells from cell ", cells.first[k], " on in dimension ", k, ", and tile ", tile, " has ",
                    size);
        }
    }
}

namespace {

/// Boxes of a tile: a grid of them, as even as can be.
void add_boxes(std::vector<Patch>& patches, int d, int tile, const Index& size, const Index& most)
{
    constexpr std::int64_t most_patches = std::numeric_limits<int>::max();
    Index boxes{1, 1, 1, 1};
    std::int64_t n = 1;
    for (std::size_t k = 0; k < at(d); ++k) {
        if (most[k] > 0) boxes[k] = 1 + (size[k] - 1) / most[k];
        n = base::times_plus(n, boxes[k], 0);
    }
    require(n <= most_patches - std::ssize(patches), ErrorKind::arg, "most",
            "most divides the tiles into more than ", most_patches, " patches");
    std::vector<Index> places;
    for (std::int64_t i = 0; i < n; ++i) {
        Index& place = places.emplace_back();
        std::int64_t rest = i;
        for (std::size_t k = 0; k < at(d); rest /= boxes[k++]) place[k] = rest % boxes[k];
    }
    std::ranges::sort(places, is_before_on_curve);
    for (const Index& at_place : places) {
        Patch& patch = patches.emplace_back(Patch{tile, {}});
        for (std::size_t k = 0; k < at(d); ++k) {
            const std::int64_t each = size[k] / boxes[k];
            const std::int64_t longer = size[k] % boxes[k];
            const auto begin = [&](std::int64_t i) { return i * each + std::min(i, longer); };
            patch.cells.set(k, begin(at_place[k]), begin(at_place[k] + 1));
        }
    }
}

/// The number of cells, which may be more than integers go to.
double volume_of(const Patch& patch)
{
    double result = 1;
    for (const std::int64_t n : patch.cells.count) result *= static_cast<double>(n);
    return result;
}

} // namespace

std::vector<Patch> divide(int d, const std::vector<Index>& sizes, const Index& most, int parts, int part)
{
    std::vector<Patch> all;
    for (std::size_t tile = 0; tile < sizes.size(); ++tile)
        add_boxes(all, d, static_cast<int>(tile), sizes[tile], most);
    double cells = 0;
    for (const Patch& patch : all) cells += volume_of(patch);
    std::vector<Patch> result;
    double before = 0; // cells of earlier patches
    for (const Patch& patch : all) {
        const double volume = volume_of(patch);
        // A patch belongs to the part that has its middle.
        if (std::min(parts - 1, static_cast<int>((before + volume / 2) / cells * parts)) == part)
            result.push_back(patch);
        before += volume;
    }
    return result;
}

} // namespace ortho::mosaic
