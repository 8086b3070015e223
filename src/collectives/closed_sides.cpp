// SPDX-License-Identifier: BSD-3-Clause
// Values of ghosts beyond closed sides of a grid.

#include "collectives/closed_sides.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/index.hpp"
#include "collectives/shown_ghosts.hpp"

namespace ortho::collectives {

using base::ErrorKind;
using grid::Box;

namespace {

/// Boxes of ghosts, and of what they show, layer by layer beyond that side of dimension k.
void mirror(std::vector<std::pair<Box, Box>>& pairs, const grid::GhostedArray& shape, int k, int side,
            int kind)
{
    const std::int64_t face = side < 0 ? shape.lower[at(k)] : shape.lower[at(k)] + shape.owned(k) - 1;
    std::vector<std::pair<Box, Box>> result;
    for (auto& [to, from] : pairs)
        for (std::int64_t i = 0; i < shape.depth(k, side); ++i) {
            to.start[at(k)] = face + side * (i + 1);
            from.start[at(k)] = face - side * steps_to(kind, i);
            to.size[at(k)] = from.size[at(k)] = 1;
            result.emplace_back(to, from);
        }
    pairs = std::move(result);
}

MPI_Aint place_of(const Field& field, const Box& box)
{
    MPI_Aint result = 0;
    for (std::size_t k = 0; k < box.start.size(); ++k)
        result += static_cast<MPI_Aint>(box.start[k]) * field.strides[k];
    return result;
}

/// The ghosts of one field on one process.
///
/// Dimensions of the array are padded one after the other.  So the constant of a later dimension takes the
/// place of an earlier one, and mirrors show what lies in the ghosts of other dimensions.  No ghost beyond a
/// closed side is read: the mirrors of all sides that a ghost lies beyond lead to one element that is there.
/// Throws base::Error (arg) where mirrors lead to elements that this process does not have.
ShownGhosts closed_sides(const grid::Grid& grid, int rank, const CheckedFields& checked, std::size_t f,
                         const FieldNames& names)
{
    const Field& field = checked.fields[f];
    const grid::GhostedArray& shape = field.shape;
    const std::vector<int>& dimensions = checked.dimensions[f];
    const grid::Halo exchanged = grid::make_halo(grid, {checked.regions[f]});
    const std::vector<int> here = grid.coordinates(rank);
    ShownGhosts result(field.element);
    for (int slot = 0; slot < exchanged.slots(); ++slot) {
        const auto region = exchanged.regions[slot];
        const Box ghosts = shape.box(region, region);
        if (ghosts.is_empty()) continue;
        std::vector<int> shown(region.begin(), region.end()); // the region that mirrors lead to
        std::vector<std::pair<Box, Box>> pairs{{ghosts, ghosts}};
        const ORTHO_Boundary* constant = nullptr;
        int sign = 1;
        bool is_filled = true;
        for (std::size_t k = 0; k < dimensions.size(); ++k) {
            const int along = dimensions[k];
            const int side = grid::GhostedArray::side_of(region, along);
            if (side == 0 || grid.wrap(along, here[at(along)] + side) != grid::Grid::nowhere) continue;
            const ORTHO_Boundary& boundary = checked.boundaries[f][2 * k + (side > 0 ? 1 : 0)];
            is_filled = is_filled && boundary.kind != ORTHO_BOUNDARY_NONE;
            shown[at(along)] = 0;
            if (boundary.kind <= ORTHO_BOUNDARY_CONSTANT) {
                constant = &boundary;
                sign = 1;
                continue;
            }
            sign *= boundary.sign;
            const std::int64_t depth = shape.depth(along, side);
            const std::int64_t needed = steps_to(boundary.kind, depth - 1) + 1;
            base::require(shape.owned(along) >= needed, ErrorKind::arg, "boundary",
                          name_of_side(names.whose(f), k, side > 0), " is ", name_of_kind(boundary.kind),
                          ", which needs ", needed, " owned layers here, and there are ", shape.owned(along));
            mirror(pairs, shape, along, side, boundary.kind);
        }
        if (!is_filled || std::ranges::equal(shown, region)) continue;
        if (constant != nullptr) {
            result.set(place_of(field, ghosts), make_box(field, field.strides, ghosts).get(), constant->value,
                       sign);
            continue;
        }
        // Regions that are not filled show nothing: the stencil leaves them out, or there is land.
        const bool is_owned = std::ranges::all_of(shown, [](int step) { return step == 0; });
        const int there = is_owned ? -1 : exchanged.find(shown, 0);
        if (!is_owned && (there < 0 || !exchanged.is_filled(rank, there))) continue;
        for (const auto& [to, from] : pairs) // of one layout
            result.show(place_of(field, to), place_of(field, from), make_box(field, field.strides, to).get(),
                        sign);
    }
    result.finish();
    return result;
}

} // namespace

void check_boundaries(CheckedFields& checked, const HaloArguments& arguments, const grid::Grid& grid)
{
    const FieldList list = arguments.list(grid);
    for (std::size_t f = 0; f < list.fields.size(); ++f) {
        const ORTHO_Field& field = list.fields[f];
        const std::vector<int>& dimensions = checked.dimensions[f];
        std::vector<ORTHO_Boundary>& sides = checked.boundaries.emplace_back(2 * dimensions.size());
        if (field.boundary == nullptr) continue;
        for (std::size_t i = 0; i < sides.size(); ++i) {
            const ORTHO_Boundary& side = field.boundary[i];
            const int k = dimensions[i / 2];
            const std::string name = name_of_side(arguments.names.whose(f), i / 2, i % 2 != 0);
            require_side(side, name);
            if (side.kind != ORTHO_BOUNDARY_NONE && arguments.reduces)
                base::fail(ErrorKind::arg, "boundary", name, " is ", name_of_kind(side.kind),
                           ", and ghosts that are reduced have no boundary");
            if (side.kind == ORTHO_BOUNDARY_NONE || k >= grid.dimensions() || grid.periodic(k)) continue;
            sides[i] = signed_side(side, field.element, name, "elements", arguments.names.element(f));
        }
    }
}

call::AtEnd end_of(const grid::Grid& grid, int rank, const CheckedFields& checked, const FieldNames& names)
{
    const auto all = std::make_shared<AllShownGhosts>();
    for (std::size_t f = 0; f < checked.fields.size(); ++f) {
        ShownGhosts sides = closed_sides(grid, rank, checked, f, names);
        if (sides.bytes() > 0) all->emplace_back(f, std::move(sides));
    }
    if (all->empty()) return {};
    return {[all](const call::Bases& bases) { fill_all(*all, bases); }, text_of(*all)};
}

} // namespace ortho::collectives
