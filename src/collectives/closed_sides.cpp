// SPDX-License-Identifier: BSD-3-Clause
// Values of ghosts beyond closed sides of a grid.

#include "collectives/closed_sides.hpp"

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cstring>
#include <span>
#include <string>

#include "base/error.hpp"
#include "base/index.hpp"
#include "mpi/strides.hpp"
#include "staging/staging.hpp"

namespace ortho::collectives {

using base::ErrorKind;
using grid::Box;
using grid::StridedBox;

namespace {

const char* name_of(int kind)
{
    const char* const names[] = {"none", "constant", "edge", "symmetric", "reflect"};
    return names[at(kind)];
}

std::string name_of(const FieldNames& names, std::size_t f, std::size_t k, bool above)
{
    return base::text(names.whose(f), "boundary of dimension ", k, above ? ", upper side," : ", lower side,");
}

void add_boxes(transport::Parts& parts, const Field& field, const Box& box, const mpi::Datatype& type)
{
    MPI_Aint begin = 0;
    for (std::size_t k = 0; k < box.start.size(); ++k)
        begin += static_cast<MPI_Aint>(box.start[k]) * field.strides[k];
    const auto data = mpi::boxes_of(reinterpret_cast<const void*>(begin), 1, type.get());
    parts.boxes.insert(parts.boxes.end(), data.boxes.begin(), data.boxes.end());
}

/// Boxes of ghosts, and of what they show, layer by layer beyond that side of dimension k.
void mirror(std::vector<std::pair<Box, Box>>& pairs, const grid::GhostedArray& shape, int k, int side,
            int kind)
{
    const std::int64_t face = side < 0 ? shape.lower[at(k)] : shape.lower[at(k)] + shape.owned(k) - 1;
    std::vector<std::pair<Box, Box>> result;
    for (auto& [to, from] : pairs)
        for (std::int64_t i = 0; i < shape.depth(k, side); ++i) {
            const std::int64_t steps = kind == ORTHO_BOUNDARY_EDGE      ? 0
                                       : kind == ORTHO_BOUNDARY_REFLECT ? i + 1
                                                                        : i;
            to.start[at(k)] = face + side * (i + 1);
            from.start[at(k)] = face - side * steps;
            to.size[at(k)] = from.size[at(k)] = 1;
            result.emplace_back(to, from);
        }
    pairs = std::move(result);
}

void negate(std::span<std::byte> row, const mpi::SignedNumbers& numbers)
{
    constexpr bool is_little = std::endian::native == std::endian::little;
    const std::size_t n = at(numbers.bytes);
    // The x87's numbers of 10 bytes lie in 16.
    const std::size_t high = LDBL_MANT_DIG == 64 && n == sizeof(long double) ? 9 : is_little ? n - 1 : 0;
    for (; !row.empty(); row = row.subspan(n)) {
        if (numbers.are_real) {
            row[high] ^= std::byte{0x80};
            continue;
        }
        unsigned carry = 1;
        for (std::size_t i = 0; i < n; ++i) {
            std::byte& byte = row[is_little ? i : n - 1 - i];
            carry += static_cast<unsigned>(~byte & std::byte{0xff});
            byte = static_cast<std::byte>(carry & 0xff);
            carry >>= 8;
        }
    }
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
            const auto name = [&] { return name_of(arguments.names, f, i / 2, i % 2 != 0); };
            if (side.kind < ORTHO_BOUNDARY_NONE || side.kind > ORTHO_BOUNDARY_REFLECT)
                base::fail(ErrorKind::arg, "boundary", name(), " has kind ", side.kind,
                           ", which there is not");
            if (side.sign < -1 || side.sign > 1)
                base::fail(ErrorKind::arg, "boundary", name(), " has sign ", side.sign, ", not 1 or -1");
            if (side.kind != ORTHO_BOUNDARY_NONE && arguments.reduces)
                base::fail(ErrorKind::arg, "boundary", name(), " is ", name_of(side.kind),
                           ", and ghosts that are reduced have no boundary");
            if (side.kind == ORTHO_BOUNDARY_NONE || k >= grid.dimensions() || grid.periodic(k)) continue;
            if (side.kind != ORTHO_BOUNDARY_CONSTANT && side.sign < 0 && !mpi::signed_numbers(field.element))
                base::fail(ErrorKind::type, "elements", name(),
                           " has sign -1, which is for predefined types with a sign, and ",
                           arguments.names.element(f), " is none");
            sides[i] = side;
            if (side.sign == 0 || side.kind == ORTHO_BOUNDARY_CONSTANT) sides[i].sign = 1;
        }
    }
}

ClosedSides::ClosedSides(const grid::Grid& grid, int rank, const CheckedFields& checked, std::size_t f,
                         const FieldNames& names)
    : numbers_(mpi::signed_numbers(checked.fields[f].element))
{
    const Field& field = checked.fields[f];
    const grid::GhostedArray& shape = field.shape;
    const std::vector<int>& dimensions = checked.dimensions[f];
    const grid::Halo exchanged = grid::make_halo(grid, {checked.regions[f]});
    const std::vector<int> here = grid.coordinates(rank);
    transport::Parts to_constants;
    std::vector<std::byte> constants;
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
            const std::int64_t needed = boundary.kind == ORTHO_BOUNDARY_EDGE      ? 1
                                        : boundary.kind == ORTHO_BOUNDARY_REFLECT ? depth + 1
                                                                                  : depth;
            base::require(shape.owned(along) >= needed, ErrorKind::arg, "boundary",
                          name_of(names, f, k, side > 0), " is ", name_of(boundary.kind), ", which needs ",
                          needed, " owned layers here, and there are ", shape.owned(along));
            mirror(pairs, shape, along, side, boundary.kind);
        }
        if (!is_filled || std::ranges::equal(shown, region)) continue;
        if (constant != nullptr) {
            std::vector<std::byte> element(at(static_cast<int>(mpi::measure(field.element).size)));
            if (constant->value != nullptr)
                transport::gather({.boxes = mpi::boxes_of(constant->value, 1, field.element).boxes},
                                  element.data());
            if (sign < 0) negate(element, *numbers_);
            add_boxes(to_constants, field, ghosts, make_box(field, field.strides, ghosts));
            for (std::int64_t i = 0; i < ghosts.cells(); ++i)
                constants.insert(constants.end(), element.begin(), element.end());
            continue;
        }
        // Regions that are not filled show nothing: the stencil leaves them out, or there is land.
        const bool is_owned = std::ranges::all_of(shown, [](int step) { return step == 0; });
        const int there = is_owned ? -1 : exchanged.find(shown, 0);
        if (!is_owned && (there < 0 || !exchanged.is_filled(rank, there))) continue;
        const std::size_t first = copied_;
        for (const auto& [to, from] : pairs) {
            const mpi::Datatype type = make_box(field, field.strides, to); // so boxes of both have one shape
            add_boxes(from_, field, from, type);
            add_boxes(to_, field, to, type);
            copied_ += static_cast<std::size_t>(to.cells() * mpi::measure(field.element).size);
        }
        if (sign < 0) negated_.emplace_back(first, copied_ - first);
    }
    to_.boxes.insert(to_.boxes.end(), to_constants.boxes.begin(), to_constants.boxes.end());
    row_.resize(copied_);
    row_.insert(row_.end(), constants.begin(), constants.end());
}

/// The array may be another one than before.
void ClosedSides::begin(void* base)
{
    const std::intptr_t distance = reinterpret_cast<std::intptr_t>(base) - base_;
    if (distance != 0) {
        for (transport::Parts* const parts : {&from_, &to_})
            for (StridedBox& box : parts->boxes) box.address += distance;
        base_ += distance;
        transfer_ = nullptr;
        if (const memory::Home home = memory::home_of(base)) {
            constexpr std::size_t most = 4; // arrays that take turns
            auto found = std::ranges::find(transfers_, base_, [](const auto& one) { return one.first; });
            if (found == transfers_.end()) {
                if (transfers_.size() == most) transfers_.erase(transfers_.begin());
                transfers_.emplace_back(
                    base_, home.kind->transfer(home.device, from_.boxes, to_.boxes, staging::allocate_rows));
                found = std::prev(transfers_.end());
            }
            transfer_ = found->second.get();
        }
    }
    if (transfer_ != nullptr && copied_ > 0) transfer_->fetch(nullptr);
}

void ClosedSides::fill()
{
    if (transfer_ == nullptr) {
        transport::gather(from_, row_.data());
    } else {
        while (transfer_->wait_for_piece()) {}
        transfer_->wait();
        std::memcpy(row_.data(), transfer_->fetched(), copied_);
    }
    for (const auto& [first, bytes] : negated_) negate(std::span(row_).subspan(first, bytes), *numbers_);
    if (transfer_ == nullptr) return transport::spread(row_.data(), to_);
    std::ranges::copy(row_, transfer_->stored());
    transfer_->store(0, row_.size());
}

void ClosedSides::wait()
{
    if (transfer_ != nullptr) transfer_->wait();
}

call::AtEnd end_of(const grid::Grid& grid, int rank, const CheckedFields& checked, const FieldNames& names)
{
    using Of = std::pair<std::size_t, ClosedSides>; // number of the field
    const auto all = std::make_shared<std::vector<Of>>();
    std::size_t bytes = 0;
    for (std::size_t f = 0; f < checked.fields.size(); ++f) {
        ClosedSides sides(grid, rank, checked, f, names);
        bytes += sides.bytes();
        if (sides.bytes() > 0) all->emplace_back(f, std::move(sides));
    }
    if (all->empty()) return {};
    return {[all](const call::Bases& bases) {
                for (auto& [f, sides] : *all) sides.begin(bases[f]);
                for (auto& [f, sides] : *all) sides.fill();
                for (auto& [f, sides] : *all) sides.wait();
            },
            base::text("  closed sides: ghosts of ", base::counted(std::ssize(*all), "array"),
                       " beyond them, ", base::counted(static_cast<std::int64_t>(bytes), "byte"),
                       ", get values of their boundary after that\n")};
}

} // namespace ortho::collectives
