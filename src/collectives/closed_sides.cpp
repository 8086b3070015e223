// SPDX-License-Identifier: BSD-3-Clause
// Values of ghosts beyond closed sides of a grid.

#include "collectives/closed_sides.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

#include "base/error.hpp"
#include "base/index.hpp"
#include "mpi/strides.hpp"
#include "staging/staging.hpp"

namespace ortho::collectives {

using base::ErrorKind;
using base::require;
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

/// The row of an element: its data without gaps.
std::vector<std::byte> row_of(const void* element, MPI_Datatype type)
{
    std::vector<std::byte> row(at(mpi::measure(type).size), std::byte{0});
    if (element != nullptr) transport::gather({.boxes = mpi::boxes_of(element, 1, type).boxes}, row.data());
    return row;
}

std::vector<StridedBox> boxes_of(const Field& field, const grid::Box& box, const mpi::Datatype& type)
{
    MPI_Aint begin = 0;
    for (std::size_t k = 0; k < box.start.size(); ++k)
        begin += static_cast<MPI_Aint>(box.start[k]) * field.strides[k];
    return mpi::boxes_of(reinterpret_cast<const void*>(begin), 1, type.get()).boxes;
}

/// Layer number i beyond a side, counted from the face, and the owned layer that it shows.
struct Layers {
    std::int64_t ghost, shown;
};
Layers layers_of(const grid::GhostedArray& shape, int k, int side, int kind, std::int64_t i)
{
    const std::int64_t first = shape.lower[at(k)];
    const std::int64_t last = first + shape.owned(k) - 1;
    const std::int64_t steps = kind == ORTHO_BOUNDARY_EDGE ? 0 : kind == ORTHO_BOUNDARY_SYMMETRIC ? i : i + 1;
    return side < 0 ? Layers{first - 1 - i, first + steps} : Layers{last + 1 + i, last - steps};
}

template <class Number>
void negate_all(std::span<std::byte> row)
{
    for (std::size_t i = 0; i < row.size(); i += sizeof(Number)) {
        Number number;
        std::memcpy(&number, &row[i], sizeof number);
        if constexpr (std::is_unsigned_v<Number>)
            number = static_cast<Number>(0U - number); // of a number with a sign: the smallest one stays
        else
            number = -number;
        std::memcpy(&row[i], &number, sizeof number);
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
    const std::vector<int>& dimensions = checked.dimensions[f];
    const grid::Halo exchanged = grid::make_halo(grid, {checked.regions[f]});
    const std::vector<int> here = grid.coordinates(rank);
    for (int slot = 0; slot < exchanged.slots(); ++slot) {
        const auto region = exchanged.regions[slot];
        std::vector<int> source(region.begin(),
                                region.end());    // the ghosts, or the owned cells, that it shows
        std::vector<std::pair<int, int>> mirrors; // dimension, kind
        const ORTHO_Boundary* constant = nullptr;
        int sign = 1;
        bool is_filled = true;
        const grid::Box to = field.shape.box(region, region);
        if (to.is_empty()) continue;
        for (std::size_t k = 0; k < dimensions.size(); ++k) {
            const int along = dimensions[k];
            const int side = grid::GhostedArray::side_of(region, along);
            if (side == 0 || grid.wrap(along, here[at(along)] + side) != grid::Grid::nowhere) continue;
            const ORTHO_Boundary& boundary = checked.boundaries[f][2 * k + (side > 0 ? 1 : 0)];
            const std::int64_t depth = field.shape.depth(along, side);
            const std::int64_t needed = boundary.kind <= ORTHO_BOUNDARY_CONSTANT  ? 0
                                        : boundary.kind == ORTHO_BOUNDARY_EDGE    ? 1
                                        : boundary.kind == ORTHO_BOUNDARY_REFLECT ? depth + 1
                                                                                  : depth;
            require(field.shape.owned(along) >= needed, ErrorKind::arg, "boundary",
                    name_of(names, f, k, side > 0), " is ", name_of(boundary.kind), ", which needs ", needed,
                    " owned layers here, and there are ", field.shape.owned(along));
            is_filled = is_filled && boundary.kind != ORTHO_BOUNDARY_NONE;
            source[at(along)] = 0;
            sign *= boundary.sign;
            if (boundary.kind == ORTHO_BOUNDARY_CONSTANT) {
                constant = &boundary;
                sign = 1;
            } else {
                mirrors.emplace_back(along, boundary.kind);
            }
        }
        if (!is_filled || (mirrors.empty() && constant == nullptr)) continue;
        if (constant != nullptr) {
            add(field, to, *constant, sign);
            continue;
        }
        if (std::ranges::any_of(source, [](int step) { return step != 0; })) {
            require(exchanged.find(source, 0) >= 0, ErrorKind::arg, "directions", names.whose(f),
                    "directions has a region beyond a closed side, and not the one that it mirrors");
            if (grid.neighbor(rank, source) == grid::Grid::nowhere) continue; // a hole of the grid
        }
        add_mirrored(field, region, mirrors, to, to, sign);
    }
    row_.resize(largest_);
}

void ClosedSides::add_mirrored(const Field& field, std::span<const int> region,
                               std::span<const std::pair<int, int>> mirrors, grid::Box to, grid::Box from,
                               int sign)
{
    if (mirrors.empty()) {
        // Both have this type, and so equal lists of boxes.
        const mpi::Datatype type = make_box(field, field.strides, to);
        Move move{boxes_of(field, from, type), {.boxes = boxes_of(field, to, type)}, 0, sign};
        for (const StridedBox& box : move.from) move.bytes += box.bytes();
        copied_bytes_ += move.bytes;
        largest_ = std::max(largest_, move.bytes);
        moves_.push_back(std::move(move));
        return;
    }
    const auto [k, kind] = mirrors[0];
    const int side = grid::GhostedArray::side_of(region, k);
    to.size[at(k)] = from.size[at(k)] = 1;
    for (std::int64_t i = 0; i < field.shape.depth(k, side); ++i) {
        const Layers layers = layers_of(field.shape, k, side, kind, i);
        to.start[at(k)] = layers.ghost;
        from.start[at(k)] = layers.shown;
        add_mirrored(field, region, mirrors.subspan(1), to, from, sign);
    }
}

void ClosedSides::add(const Field& field, const grid::Box& to, const ORTHO_Boundary& constant, int sign)
{
    const mpi::Datatype type = make_box(field, field.strides, to);
    const std::vector<StridedBox> boxes = boxes_of(field, to, type);
    constants_.to.boxes.insert(constants_.to.boxes.end(), boxes.begin(), boxes.end());
    std::vector<std::byte> element = row_of(constant.value, field.element);
    if (sign < 0) negate(element);
    for (std::int64_t i = 0; i < to.cells(); ++i)
        constants_.row.insert(constants_.row.end(), element.begin(), element.end());
}

void ClosedSides::negate(std::span<std::byte> row) const
{
    const auto [bytes, are_real] = numbers_.value();
    if (are_real && bytes == sizeof(float))
        negate_all<float>(row);
    else if (are_real && bytes == sizeof(double))
        negate_all<double>(row);
    else if (are_real)
        negate_all<long double>(row);
    else if (bytes == 1)
        negate_all<std::uint8_t>(row);
    else if (bytes == 2)
        negate_all<std::uint16_t>(row);
    else if (bytes == 4)
        negate_all<std::uint32_t>(row);
    else
        negate_all<std::uint64_t>(row);
}

void ClosedSides::begin(void* base)
{
    const std::int64_t distance = reinterpret_cast<std::intptr_t>(base) - base_;
    if (distance != 0) {
        const auto shift = [&](std::vector<StridedBox>& boxes) {
            for (StridedBox& box : boxes) box.address += distance;
        };
        for (Move& move : moves_) {
            shift(move.from);
            shift(move.to.boxes);
        }
        shift(constants_.to.boxes);
        base_ += distance;
        const memory::Home home = memory::home_of(base);
        transfer_ = home ? &transfer_on(home) : nullptr;
    }
    if (transfer_ != nullptr && copied_bytes_ > 0) transfer_->fetch(nullptr);
}

/// Between the boxes as they lie now.
memory::Transfer& ClosedSides::transfer_on(const memory::Home& home)
{
    const auto found = std::ranges::find(on_devices_, base_, &OnDevice::base);
    if (found != on_devices_.end()) return *found->transfer;
    std::vector<StridedBox> from, to;
    for (const Move& move : moves_) {
        from.insert(from.end(), move.from.begin(), move.from.end());
        to.insert(to.end(), move.to.boxes.begin(), move.to.boxes.end());
    }
    to.insert(to.end(), constants_.to.boxes.begin(), constants_.to.boxes.end());
    constexpr std::size_t most = 4; // arrays that take turns
    if (on_devices_.size() == most) on_devices_.erase(on_devices_.begin());
    on_devices_.push_back({base_, home.kind->transfer(home.device, from, to, staging::allocate_rows)});
    return *on_devices_.back().transfer;
}

void ClosedSides::fill()
{
    if (transfer_ == nullptr) {
        for (const Move& move : moves_) {
            if (move.sign > 0) {
                transport::copy(move.from, move.to);
                continue;
            }
            transport::gather({.boxes = move.from}, row_.data());
            negate({row_.data(), move.bytes});
            transport::spread(row_.data(), move.to);
        }
        transport::spread(constants_.row.data(), constants_.to);
        return;
    }
    while (transfer_->wait_for_piece()) {}
    transfer_->wait();
    std::byte* row = transfer_->stored();
    std::memcpy(row, transfer_->fetched(), copied_bytes_);
    for (const Move& move : moves_) {
        if (move.sign < 0) negate({row, move.bytes});
        row += move.bytes;
    }
    std::ranges::copy(constants_.row, row);
    transfer_->store(0, bytes());
}

void ClosedSides::wait()
{
    if (transfer_ != nullptr) transfer_->wait();
}

call::AtEnd end_of(const grid::Grid& grid, int rank, const CheckedFields& checked, const FieldNames& names)
{
    struct Of {
        std::size_t field;
        ClosedSides sides;
    };
    const auto all = std::make_shared<std::vector<Of>>();
    std::size_t bytes = 0;
    for (std::size_t f = 0; f < checked.fields.size(); ++f) {
        ClosedSides sides(grid, rank, checked, f, names);
        bytes += sides.bytes();
        if (!sides.are_none()) all->push_back({f, std::move(sides)});
    }
    if (all->empty()) return {};
    call::AtEnd end;
    end.act = [all](const call::Bases& bases) {
        for (Of& of : *all) of.sides.begin(bases[of.field]);
        for (Of& of : *all) of.sides.fill();
        for (Of& of : *all) of.sides.wait();
    };
    end.words = base::text("  closed sides: ghosts of ", base::counted(std::ssize(*all), "array"),
                           " beyond them, ", base::counted(static_cast<std::int64_t>(bytes), "byte"),
                           ", get values of their boundary after that\n");
    return end;
}

} // namespace ortho::collectives
