// SPDX-License-Identifier: BSD-3-Clause
// Contacts say what lies beyond a side of a tile.  No MPI in this file.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/text.hpp"

namespace ortho::mosaic {

constexpr std::size_t most_dimensions = 4;
/// A number for each dimension.
using Index = std::array<std::int64_t, most_dimensions>;

/// Cells or elements: `count` of them from `first` on.  Dimensions that are not there have one cell, 0.
struct Box {
    Index first{};
    Index count{1, 1, 1, 1};

    std::int64_t end(std::size_t k) const { return first[k] + count[k]; }
    bool is_empty() const
    {
        return std::ranges::any_of(count, [](std::int64_t n) { return n <= 0; });
    }
    std::int64_t volume() const
    {
        std::int64_t result = 1;
        for (const std::int64_t n : count) result *= n;
        return result;
    }
    /// Makes it reach from `low` to before `high` in a dimension.
    void set(std::size_t k, std::int64_t low, std::int64_t high)
    {
        first[k] = low;
        count[k] = high - low;
    }
    bool operator==(const Box&) const = default;
};

/// The cells that both have.
inline Box common(const Box& a, const Box& b)
{
    Box result;
    for (std::size_t k = 0; k < most_dimensions; ++k)
        result.set(k, std::max(a.first[k], b.first[k]), std::min(a.end(k), b.end(k)));
    return result;
}

/// Adds the boxes that are left of `whole` without the cells of another box.
inline void add_rest(std::vector<Box>& boxes, Box whole, const Box& other)
{
    const Box part = common(whole, other);
    if (part.is_empty()) return boxes.push_back(whole);
    for (std::size_t k = 0; k < most_dimensions; ++k) {
        Box below = whole;
        Box above = whole;
        below.set(k, whole.first[k], part.first[k]);
        above.set(k, part.end(k), whole.end(k));
        for (const Box& box : {below, above})
            if (!box.is_empty()) boxes.push_back(box);
        whole.set(k, part.first[k], part.end(k));
    }
}

/// The boxes that are left of others, which do not overlap, without the cells of one box.
inline std::vector<Box> rest_of(const std::vector<Box>& boxes, const Box& other)
{
    std::vector<Box> result;
    for (const Box& box : boxes) add_rest(result, box, other);
    return result;
}

/// Makes `a` cover `b`, too, if the two make a box together.
inline bool merge(Box& a, const Box& b)
{
    std::size_t along = most_dimensions;
    for (std::size_t k = 0; k < most_dimensions; ++k) {
        if (a.first[k] == b.first[k] && a.count[k] == b.count[k]) continue;
        if (along < most_dimensions || (a.end(k) != b.first[k] && b.end(k) != a.first[k])) return false;
        along = k;
    }
    if (along < most_dimensions)
        a.set(along, std::min(a.first[along], b.first[along]), std::max(a.end(along), b.end(along)));
    return true;
}

/// A text like "(0,4)" of the first d numbers.
inline std::string text_of(const Index& numbers, int d)
{
    std::string result;
    for (std::size_t k = 0; k < static_cast<std::size_t>(d); ++k)
        result += base::text(k == 0 ? "(" : ",", numbers[k]);
    return result + ")";
}

/// A signed permutation of positions.  Positions are doubled, so that centres of cells and their faces are
/// integers.
struct Map {
    /// Coordinate j there is sign[j] * coordinate from[j] here + origin[j].
    std::array<std::int8_t, most_dimensions> from{0, 1, 2, 3};
    std::array<std::int8_t, most_dimensions> sign{1, 1, 1, 1};
    Index origin{};

    std::size_t source(std::size_t j) const { return static_cast<std::size_t>(from[j]); }
    /// The coordinate there that runs along coordinate k here.
    std::size_t target(std::size_t k) const
    {
        std::size_t j = 0;
        while (source(j) != k) ++j;
        return j;
    }
    std::int64_t apply(std::size_t j, const Index& here) const
    {
        return sign[j] * here[source(j)] + origin[j];
    }
    bool operator==(const Map&) const = default;
};

/// First `first`, then `second`.
Map chain(const Map& first, const Map& second);
Map inverse(const Map& map);
/// In CGNS' shorthand: index k here runs along index |transform[k]| - 1 there, backward if it is negative;
/// then origin is added there.  Throws base::Error (arg) if that is no signed permutation of d dimensions.
Map map_of(int d, const int transform[], const std::int64_t origin[]);

/// The positions of a box of elements: coordinate k is 2 * element[k] + offset[k].
struct Positions {
    Box elements{};
    Index offset{};
};

/// The least and the largest of some numbers.
struct Range {
    std::int64_t first;
    std::int64_t last;
};
/// Coordinate j of positions, there.
Range range_of(const Map& map, std::size_t j, const Positions& positions);

using Shift = std::array<double, most_dimensions>;

/// The continuation of a tile beyond a side, or beyond a part of it.
struct Contact {
    int tile = 0;
    int dimension = 0;
    int side = 0; ///< -1: before the first cell; +1: behind the last one
    /// The cells along the side.  A count of 0: all of that dimension.  The own dimension does not count.
    Box part{{}, {}};
    int donor = 0;
    Map map{};     ///< from positions here to positions of the donor
    Shift shift{}; ///< what is added to positions in space that come from there
    /// A fold lies so many cells before its side: cells between are their own images.
    std::int64_t seam = 0;

    std::size_t along() const { return static_cast<std::size_t>(dimension); }
    /// The dimension of the donor that the side's runs along.
    std::size_t donor_dimension() const { return map.target(along()); }
    /// The side of the donor where one arrives.
    int donor_side() const { return map.sign[donor_dimension()] > 0 ? -side : side; }
    /// Leads back into the same tile by the same side.
    bool is_fold() const { return donor == tile && donor_dimension() == along() && donor_side() == side; }
};

/// A side of a tile.
struct Side {
    int tile;
    int dimension;
    int side;
};

/// Joins two whole sides.  The other dimensions of the two tiles run along each other in their order; those
/// of `a` for which `reversed` is true run backward.  Throws base::Error (arg) if the sides have different
/// sizes.
Contact join(int d, const std::vector<Index>& sizes, Side a, Side b,
             const std::array<bool, most_dimensions>& reversed);

/// The points of a cell that a fold may turn around: its centre, its corner, or the middle of a face.
enum class Pivot : std::uint8_t { T, F, U, V };

/// A side that is folded onto itself: dimension `along` runs backward beyond it.
Contact fold(int d, const std::vector<Index>& sizes, Side side, int along, Pivot pivot);

/// The 12 contacts of six tiles of n x n cells, numbered as FV3 and MITgcm do: upper sides meet lower sides.
/// There may be more dimensions, which stay as they are.
std::vector<Contact> cubed_sphere(int d, const std::vector<Index>& sizes);

} // namespace ortho::mosaic
