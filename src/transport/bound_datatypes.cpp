// SPDX-License-Identifier: BSD-3-Clause
// The datatypes and the rows of bytes that bound messages refer to.

#include "transport/bound_datatypes.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>

#include "mpi/failure.hpp"
#include "mpi/large_count_type.hpp"
#include "mpi/strides.hpp"

namespace ortho::transport {

namespace {

/// Boxes of a type that lists them, such as an indexed one: lists of more take too much memory.
constexpr std::size_t most_listed = std::size_t{1} << 18;

std::uintptr_t address_number(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

} // namespace

MPI_Datatype BoundDatatypes::keep(MPI_Datatype type, const char* what)
{
    if (last_kept_ != nullptr && type == last_kept_->first) return last_kept_->second;
    const auto [entry, is_new] = kept_.try_emplace(type, type);
    if (is_new && !mpi::is_named(type)) {
        mpi::require_committed(type, what);
        types_.push_back(mpi::Datatype::duplicate(type));
        entry->second = types_.back().get();
    }
    last_kept_ = &*entry;
    return entry->second;
}

const BoundDatatypes::Shape& BoundDatatypes::shape_of(MPI_Datatype type)
{
    if (last_shape_ != nullptr && type == last_shape_->first) return last_shape_->second;
    auto found = shapes_.find(type);
    if (found == shapes_.end()) {
        const mpi::Measures measures = mpi::measure(type);
        found = shapes_.emplace(type, Shape{measures, is_plain(type, measures)}).first;
    }
    last_shape_ = &*found;
    return found->second;
}

std::size_t BoundDatatypes::bytes_of(std::span<const DataLocation> places)
{
    std::size_t bytes = 0;
    for (const DataLocation& place : places)
        bytes += static_cast<std::size_t>(shape_of(place.type).measures.size) *
                 static_cast<std::size_t>(place.count);
    return bytes;
}

void BoundDatatypes::append(std::vector<DataLocation>& places, const DataLocation& place)
{
    if (place.count == 0) return;
    if (!places.empty() && places.back().type == place.type) {
        const MPI_Aint extent = shape_of(place.type).measures.extent;
        const std::uintptr_t end = address_number(places.back().address) +
                                   static_cast<std::uintptr_t>(places.back().count * extent);
        if (end == address_number(place.address)) {
            places.back().count += place.count;
            return;
        }
    }
    places.push_back(place);
}

DataLocation BoundDatatypes::combine(const std::vector<DataLocation>& places)
{
    if (places.empty()) return {};
    if (places.size() == 1) return fitting(places.front());

    std::vector<int> counts;
    std::vector<MPI_Aint> displacements;
    std::vector<MPI_Datatype> types;
    // From the first one, not from MPI_BOTTOM, which MPICH's MPI_Pack does not take.
    void* const base = places.front().address;
    for (const DataLocation& any : places) {
        const DataLocation place = fitting(any);
        counts.push_back(place.elements());
        displacements.push_back(static_cast<MPI_Aint>(address_number(place.address) - address_number(base)));
        types.push_back(place.type);
    }
    const int n = static_cast<int>(places.size());
    MPI_Datatype type = MPI_DATATYPE_NULL;
    if (std::ranges::adjacent_find(types, std::ranges::not_equal_to{}) != types.end())
        mpi::check(PMPI_Type_create_struct(n, counts.data(), displacements.data(), types.data(), &type));
    else if (std::ranges::adjacent_find(counts, std::ranges::not_equal_to{}) != counts.end())
        mpi::check(PMPI_Type_create_hindexed(n, counts.data(), displacements.data(), types[0], &type));
    else
        mpi::check(PMPI_Type_create_hindexed_block(n, counts[0], displacements.data(), types[0], &type));
    return {base, 1, own(type)};
}

std::optional<Parts> BoundDatatypes::parts_of(const std::vector<DataLocation>& places)
{
    Parts parts;
    if (std::ranges::all_of(places, [&](const DataLocation& place) { return shape_of(place.type).plain; })) {
        parts.pieces.reserve(places.size());
        for (const DataLocation& place : places)
            parts.pieces.push_back({static_cast<std::byte*>(place.address), bytes_of({&place, 1})});
        parts.crumble(2);
        return parts;
    }
    for (const DataLocation& place : places) {
        if (auto box = mpi::strided_box(place.address, place.count, place.type)) {
            parts.boxes.push_back(std::move(*box));
            continue;
        }
        auto listed = mpi::boxes_in_order(place.address, place.count, place.type, most_listed);
        if (!listed) return std::nullopt;
        std::ranges::move(*listed, std::back_inserter(parts.boxes));
    }
    parts.crumble(2);
    return parts;
}

std::byte* BoundDatatypes::row(std::size_t bytes)
{
    rows_.push_back(std::make_unique_for_overwrite<std::byte[]>(std::max<std::size_t>(1, bytes)));
    row_bytes_ += bytes;
    return rows_.back().get();
}

DataLocation BoundDatatypes::bytes_at(std::byte* address, std::size_t bytes)
{
    return fitting({address, static_cast<MPI_Count>(bytes), MPI_BYTE});
}

DataLocation BoundDatatypes::fitting(const DataLocation& place)
{
    if (mpi::fits(place.count)) return place;
    MPI_Datatype row = MPI_DATATYPE_NULL;
    mpi::check(mpi::make_row(place.count, place.type, &row));
    return {place.address, 1, own(row)};
}

void BoundDatatypes::forget_handles()
{
    last_kept_ = nullptr;
    last_shape_ = nullptr;
    kept_.clear();
    shapes_.clear();
}

MPI_Datatype BoundDatatypes::own(MPI_Datatype made)
{
    types_.emplace_back(made);
    mpi::check(PMPI_Type_commit(&made));
    return made;
}

} // namespace ortho::transport
