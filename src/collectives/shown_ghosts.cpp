// SPDX-License-Identifier: BSD-3-Clause
// Ghosts of an array that get the values of elements of the same array, or constants.

#include "collectives/shown_ghosts.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "base/error.hpp"
#include "base/index.hpp"
#include "base/text.hpp"
#include "mpi/signed_numbers.hpp"
#include "mpi/strides.hpp"
#include "staging/staging.hpp"

namespace ortho::collectives {

using base::ErrorKind;
using grid::StridedBox;

namespace {

void add_boxes(transport::Parts& parts, MPI_Aint begin, MPI_Datatype type)
{
    const auto data = mpi::boxes_of(reinterpret_cast<const void*>(begin), 1, type);
    parts.boxes.insert(parts.boxes.end(), data.boxes.begin(), data.boxes.end());
}

/// Elements in a row, without gaps.
void change_row(std::byte* row, std::size_t bytes, const mpi::SignedNumbers& numbers, int sign, double shift)
{
    mpi::change(numbers, sign, shift, [&](auto use) {
        for (std::size_t i = 0; i < bytes; i += at(numbers.bytes * numbers.count)) use(row + i);
    });
}

} // namespace

std::string name_of_side(const std::string& whose, std::size_t k, bool above)
{
    return base::text(whose, "boundary of dimension ", k, above ? ", upper side," : ", lower side,");
}

void require_side(const ORTHO_Boundary& side, const std::string& name)
{
    base::require(side.kind >= ORTHO_BOUNDARY_NONE && side.kind <= ORTHO_BOUNDARY_REFLECT, ErrorKind::arg,
                  "boundary", name, " has kind ", side.kind, ", which there is not");
    base::require(side.sign >= -1 && side.sign <= 1, ErrorKind::arg, "boundary", name, " has sign ",
                  side.sign, ", not 1 or -1");
}

ORTHO_Boundary signed_side(ORTHO_Boundary side, MPI_Datatype element, const std::string& name,
                           const char* argument, const std::string& element_name)
{
    const bool has_sign = side.kind > ORTHO_BOUNDARY_CONSTANT;
    base::require(!has_sign || side.sign >= 0 || mpi::signed_numbers(element), ErrorKind::type, argument,
                  name, " has sign -1, which is for numbers with a sign, and ", element_name, " is none");
    if (!has_sign || side.sign == 0) side.sign = 1;
    return side;
}

const char* name_of_kind(int kind)
{
    const char* const names[] = {"none", "constant", "edge", "symmetric", "reflect"};
    return names[at(kind)];
}

std::int64_t steps_to(int kind, std::int64_t i)
{
    return kind == ORTHO_BOUNDARY_EDGE ? 0 : kind == ORTHO_BOUNDARY_REFLECT ? i + 1 : i;
}

ShownGhosts::ShownGhosts(MPI_Datatype element) : element_(element), numbers_(mpi::signed_numbers(element)) {}

void ShownGhosts::show(MPI_Aint ghosts, MPI_Aint shown, MPI_Datatype type, int sign)
{
    copy(ghosts, shown, type, sign < 0 ? change_of(sign, 0) : Change());
}

void ShownGhosts::change(MPI_Aint elements, MPI_Datatype type, int sign, double shift)
{
    copy(elements, elements, type, change_of(sign, shift));
}

void ShownGhosts::change(MPI_Aint elements, MPI_Datatype type, Change change)
{
    copy(elements, elements, type, std::move(change));
}

ShownGhosts::Change ShownGhosts::change_of(int sign, double shift) const
{
    return [numbers = *numbers_, sign, shift](std::byte* row, std::size_t bytes) {
        change_row(row, bytes, numbers, sign, shift);
    };
}

void ShownGhosts::copy(MPI_Aint ghosts, MPI_Aint shown, MPI_Datatype type, Change change)
{
    add_boxes(from_, shown, type);
    add_boxes(to_, ghosts, type);
    const auto bytes = static_cast<std::size_t>(mpi::measure(type).size);
    if (change) changed_.push_back({copied_, bytes, std::move(change)});
    copied_ += bytes;
}

void ShownGhosts::set(MPI_Aint ghosts, MPI_Datatype type, const void* value, int sign)
{
    std::vector<std::byte> element(static_cast<std::size_t>(mpi::measure(element_).size));
    if (value != nullptr)
        transport::gather({.boxes = mpi::boxes_of(value, 1, element_).boxes}, element.data());
    if (sign < 0) change_row(element.data(), element.size(), *numbers_, sign, 0);
    add_boxes(to_constants_, ghosts, type);
    const std::size_t end = constants_.size() + static_cast<std::size_t>(mpi::measure(type).size);
    while (constants_.size() < end) constants_.insert(constants_.end(), element.begin(), element.end());
}

void ShownGhosts::finish()
{
    to_.boxes.insert(to_.boxes.end(), to_constants_.boxes.begin(), to_constants_.boxes.end());
    row_.resize(copied_);
    row_.insert(row_.end(), constants_.begin(), constants_.end());
    to_constants_ = {};
    constants_.clear();
}

/// The array may be another one than before.
void ShownGhosts::begin(void* base)
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

void ShownGhosts::fill()
{
    if (transfer_ == nullptr) {
        transport::gather(from_, row_.data());
    } else {
        while (transfer_->wait_for_piece()) {}
        transfer_->wait();
        std::memcpy(row_.data(), transfer_->fetched(), copied_);
    }
    for (const Changed& changed : changed_) changed.change(row_.data() + changed.first, changed.bytes);
    if (transfer_ == nullptr) return transport::spread(row_.data(), to_);
    std::ranges::copy(row_, transfer_->stored());
    transfer_->store(0, row_.size());
}

void ShownGhosts::wait()
{
    if (transfer_ != nullptr) transfer_->wait();
}

std::string text_of(const AllShownGhosts& all)
{
    std::size_t bytes = 0;
    for (const auto& [number, ghosts] : all) bytes += ghosts.bytes();
    return base::text("  closed sides: ghosts of ", base::counted(std::ssize(all), "array"), " beyond them, ",
                      base::counted(static_cast<std::int64_t>(bytes), "byte"),
                      ", get values of their boundary after that\n");
}

} // namespace ortho::collectives
