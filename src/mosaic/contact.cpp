// SPDX-License-Identifier: BSD-3-Clause
// Contacts say what lies beyond a side of a tile.  No MPI in this file.

#include "mosaic/contact.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/error.hpp"
#include "base/index.hpp"

namespace ortho::mosaic {

using base::ErrorKind;
using base::require;

Map chain(const Map& first, const Map& second)
{
    Map result;
    for (std::size_t j = 0; j < most_dimensions; ++j) {
        const std::size_t between = second.source(j);
        result.from[j] = first.from[between];
        result.sign[j] = static_cast<std::int8_t>(second.sign[j] * first.sign[between]);
        result.origin[j] = second.sign[j] * first.origin[between] + second.origin[j];
    }
    return result;
}

Map inverse(const Map& map)
{
    Map result;
    for (std::size_t j = 0; j < most_dimensions; ++j) {
        const std::size_t k = map.source(j);
        result.from[k] = static_cast<std::int8_t>(j);
        result.sign[k] = map.sign[j];
        result.origin[k] = -map.sign[j] * map.origin[j];
    }
    return result;
}

Map map_of(int d, const int transform[], const std::int64_t origin[])
{
    Map result;
    std::array<bool, most_dimensions> is_taken{};
    for (std::size_t k = 0; k < at(d); ++k) {
        const int along = transform[k];
        const bool is_one = along != 0 && along >= -d && along <= d && !is_taken[at(std::abs(along) - 1)];
        require(is_one, ErrorKind::arg, "transform", "transform is no signed permutation of ", d,
                " dimensions: transform[", k, "] = ", along);
        const std::size_t j = at(std::abs(along) - 1);
        is_taken[j] = true;
        result.from[j] = static_cast<std::int8_t>(k);
        result.sign[j] = along < 0 ? -1 : 1;
        result.origin[j] = 2 * origin[j];
    }
    return result;
}

Range range_of(const Map& map, std::size_t j, const Positions& positions)
{
    const std::size_t k = map.source(j);
    const auto place = [&](std::int64_t element) {
        return map.sign[j] * (2 * element + positions.offset[k]) + map.origin[j];
    };
    const std::int64_t first = place(positions.elements.first[k]);
    const std::int64_t last = place(positions.elements.end(k) - 1);
    return {std::min(first, last), std::max(first, last)};
}

Contact join(int d, const std::vector<Index>& sizes, Side a, Side b,
             const std::array<bool, most_dimensions>& reversed)
{
    const Index& here = sizes[at(a.tile)];
    const Index& there = sizes[at(b.tile)];
    Contact contact{.tile = a.tile, .dimension = a.dimension, .side = a.side, .donor = b.tile};
    std::size_t j = 0;
    for (std::size_t k = 0; k < at(d); ++k) {
        if (k == at(a.dimension)) continue;
        if (j == at(b.dimension)) ++j;
        require(here[k] == there[j], ErrorKind::arg, "sizes", "dimension ", k, " of tile ", a.tile, " has ",
                here[k], " cells, and dimension ", j, " of tile ", b.tile, ", which it is joined to, has ",
                there[j]);
        contact.map.from[j] = static_cast<std::int8_t>(k);
        contact.map.sign[j] = reversed[k] ? -1 : 1;
        contact.map.origin[j] = reversed[k] ? 2 * there[j] : 0;
        ++j;
    }
    const std::size_t across = at(b.dimension);
    const std::int64_t from = a.side > 0 ? 2 * here[at(a.dimension)] : 0;
    const std::int64_t to = b.side > 0 ? 2 * there[across] : 0;
    const int sign = a.side == b.side ? -1 : 1;
    contact.map.from[across] = static_cast<std::int8_t>(a.dimension);
    contact.map.sign[across] = static_cast<std::int8_t>(sign);
    contact.map.origin[across] = to - sign * from;
    return contact;
}

Contact fold(int d, const std::vector<Index>& sizes, Side side, int along, Pivot pivot)
{
    require(along >= 0 && along < d && along != side.dimension, ErrorKind::arg, "along", "along = ", along,
            " is no other one of ", d, " dimensions than the one that is folded");
    const Index& size = sizes[at(side.tile)];
    Contact contact{.tile = side.tile, .dimension = side.dimension, .side = side.side, .donor = side.tile};
    const auto turn = [&](int k, std::int64_t twice_the_pivot) {
        contact.map.sign[at(k)] = -1;
        contact.map.origin[at(k)] = 2 * twice_the_pivot;
    };
    const std::int64_t before_side = pivot == Pivot::T || pivot == Pivot::U ? 1 : 0;
    turn(along, size[at(along)] + (pivot == Pivot::T || pivot == Pivot::V ? 1 : 0));
    turn(side.dimension, side.side > 0 ? 2 * size[at(side.dimension)] - before_side : before_side);
    return contact;
}

std::vector<Contact> cubed_sphere(int d, const std::vector<Index>& sizes)
{
    std::vector<Contact> contacts;
    for (int tile = 0; tile < 6; ++tile) {
        // Tiles 0, 2, 4 go on to the right into the next tile, and upward, turned, into the one after that;
        // tiles 1, 3, 5 the other way round.
        const bool turns_upward = tile % 2 == 0;
        const int next = (tile + 1) % 6;
        const int after_next = (tile + 2) % 6;
        const auto add = [&](int dimension, int donor, int donor_dimension) {
            std::array<bool, most_dimensions> reversed{};
            reversed[at(1 - dimension)] = dimension != donor_dimension;
            contacts.push_back(join(d, sizes, {tile, dimension, 1}, {donor, donor_dimension, -1}, reversed));
        };
        add(0, turns_upward ? next : after_next, turns_upward ? 0 : 1);
        add(1, turns_upward ? after_next : next, turns_upward ? 0 : 1);
    }
    return contacts;
}

} // namespace ortho::mosaic
