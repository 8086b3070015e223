// SPDX-License-Identifier: BSD-3-Clause
// Halo exchanges as calls of the engine: what processes must have in common for them, and closed sides.

#include "collectives/halo_call.hpp"

#include <algorithm>
#include <memory>
#include <ranges>
#include <set>
#include <span>
#include <utility>

#include "algorithm/edge_bundles.hpp"
#include "base/arithmetic.hpp"
#include "base/error.hpp"
#include "base/index.hpp"
#include "base/text.hpp"
#include "collectives/shown_ghosts.hpp"
#include "mpi/object_info.hpp"
#include "runtime/message.hpp"
#include "topology/graph.hpp"

namespace ortho::collectives {

std::vector<long long> owned_extents(const std::vector<Field>& fields)
{
    std::vector<long long> extents;
    for (const Field& field : fields)
        for (int k = 0; k < field.shape.dimensions(); ++k) extents.push_back(field.shape.owned(k));
    return extents;
}

std::map<int, std::vector<long long>> extents_around(const topology::PrivateComm& comm,
                                                     const grid::LocalGraph& lists,
                                                     const std::vector<long long>& mine)
{
    std::map<int, std::vector<long long>> result{{lists.rank, mine}};
    runtime::Posted messages(comm.messages(), comm.setting_up_tag());
    for (const auto& from : algorithm::EdgeBundles(lists.sources)) {
        if (from.partner == lists.rank) continue;
        std::vector<long long>& theirs = result[from.partner];
        theirs.resize(mine.size());
        messages.receive(from.partner, std::as_writable_bytes(std::span(theirs)));
    }
    for (const auto& to : algorithm::EdgeBundles(lists.targets))
        if (to.partner != lists.rank) messages.send(to.partner, std::as_bytes(std::span(mine)));
    messages.wait();
    return result;
}

void check_extents(const grid::Halo& halo, const std::vector<Field>& fields, int rank,
                   const std::map<int, std::vector<long long>>& extents, const Whose& whose)
{
    std::vector<std::size_t> begins{0}; // for each field, where its extents begin in the list of a rank
    for (const Field& field : fields) begins.push_back(begins.back() + field.shape.sizes.size());
    for (int slot = 0; slot < halo.slots(); ++slot) {
        const auto region = halo.regions[slot];
        const std::size_t f = at(halo.field[at(slot)]);
        const grid::GhostedArray& shape = fields[f].shape;
        if (halo.grid.neighbor_against(rank, region) != grid::Grid::nowhere)
            grid::require_owned_layers(shape, region, whose(f));
        if (!halo.is_filled(rank, slot)) continue;
        const int other = halo.grid.neighbor(rank, region);
        for (int k = 0; k < shape.dimensions(); ++k) {
            if (grid::GhostedArray::side_of(region, k) != 0) continue;
            const long long theirs = extents.at(other)[begins[f] + at(k)];
            base::require(shape.owned(k) == theirs, base::ErrorKind::mismatch, "sizes", whose(f),
                          "sizes leaves ", shape.owned(k), " owned layers in dimension ", k,
                          " of the grid here, and ", theirs, " on rank ", other, ", across a face");
        }
    }
}

namespace {

std::string sizes_text(const grid::GhostedArray& shape)
{
    std::string result;
    for (const std::int64_t cells : shape.sizes) result += base::text(result.empty() ? "" : "x", cells);
    return result;
}

std::string arrays_text(const std::vector<Field>& fields)
{
    std::set<std::string> sizes;
    std::string types;
    std::set<std::string> named;
    for (const Field& field : fields) {
        sizes.insert(sizes_text(field.shape));
        const std::string name = mpi::type_name(field.element);
        const std::string type = name.empty() ? "a datatype without a name" : name;
        if (named.insert(type).second) types += (types.empty() ? " of " : ", ") + type;
    }
    const std::string shapes = sizes.size() > 1 ? base::text(sizes.size(), " shapes,")
                               : sizes.empty()  ? std::string("no shape,")
                                                : *sizes.begin();
    return base::text(base::counted(static_cast<std::int64_t>(fields.size()), "array"), " of ", shapes,
                      " elements", types);
}

/// Do the elements of a box lie one behind the other?
bool lies_in_a_row(const Field& field, const grid::Box& box)
{
    const mpi::Measures element = mpi::measure(field.element);
    if (element.size != element.extent) return false;
    MPI_Aint end = element.extent;
    for (const int k : field.nesting | std::views::reverse) {
        if (box.size[at(k)] == 1) continue;
        if (field.strides[at(k)] != end) return false;
        end *= static_cast<MPI_Aint>(box.size[at(k)]);
    }
    return true;
}

/// Is the grid one process wide wherever the region lies off the owned cells?
bool stays(const grid::Grid& grid, std::span<const int> region)
{
    for (int k = 0; k < grid.dimensions(); ++k)
        if (region[at(k)] != 0 && grid.size(k) > 1) return false;
    return true;
}

/// Does most of the data that other processes send not lie in rows?
bool is_strided(const grid::Halo& halo, const std::vector<Field>& fields,
                const std::vector<std::int64_t>& bytes)
{
    std::int64_t in_rows = 0;
    std::int64_t all = 0;
    for (int slot = 0; slot < halo.slots(); ++slot) {
        const auto region = halo.regions[slot];
        if (stays(halo.grid, region)) continue;
        const Field& field = fields[at(halo.field[at(slot)])];
        if (lies_in_a_row(field, field.shape.box(region, region)))
            in_rows = base::times_plus(1, bytes[at(slot)], in_rows);
        all = base::times_plus(1, bytes[at(slot)], all);
    }
    return in_rows <= all / 2;
}

} // namespace

call::Call halo_call(grid::Halo halo, std::vector<Field> fields, std::vector<mpi::Datatype> elements,
                     call::HaloBytes bytes, MPI_Op op)
{
    const bool reduces = op != MPI_OP_NULL;
    call::Call call{.collective = reduces ? planner::Collective::halo_reduce : planner::Collective::halo,
                    .op = op};
    std::int64_t all = 0;
    for (const std::int64_t slot : bytes.most) all = base::times_plus(1, slot, all);
    call.arrays = arrays_text(fields);
    call.data = base::text(reduces ? "sends the ghosts of " : "fills the ghosts of ", call.arrays,
                           reduces ? " to their owners" : "", " (at most ", base::counted(all, "byte"),
                           " on each process)");
    call.strided = is_strided(halo, fields, bytes.most);
    call.halo_bytes = std::move(bytes);
    const auto blocks = std::make_shared<HaloBlocks>(halo, std::move(fields), reduces);
    call.halo = std::make_shared<const grid::Halo>(std::move(halo));
    const auto kept = std::make_shared<std::vector<mpi::Datatype>>(std::move(elements));
    call.lay = [blocks, kept](const schedule::Schedule& schedule, const call::Bases& bases) {
        return blocks->lay(schedule, bases);
    };
    return call;
}

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
