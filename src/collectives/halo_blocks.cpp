// SPDX-License-Identifier: BSD-3-Clause
// The blocks of a halo exchange: boxes of elements of the user's arrays.

#include "collectives/halo_blocks.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <ranges>
#include <set>

#include "base/index.hpp"

namespace ortho::collectives {

using schedule::Buffer;
using schedule::Schedule;
using schedule::Slot;

namespace {

/// All slots that data goes into or comes out of.
std::set<Slot> named(const Schedule& schedule)
{
    std::set<Slot> result(schedule.slots.begin(), schedule.slots.end());
    for (const schedule::Action& action : schedule.actions) result.insert({action.from, action.to});
    return result;
}

} // namespace

std::vector<int> nesting_in_memory(const Field& field)
{
    std::vector<int> result = field.nesting;
    std::ranges::stable_sort(result, std::ranges::greater{},
                             [&](int k) { return std::abs(field.strides[at(k)]); });
    return result;
}

mpi::Datatype make_box(const Field& field, const std::vector<MPI_Aint>& strides, const grid::Box& box)
{
    mpi::Datatype made;
    MPI_Datatype type = field.element;
    for (const int k : field.nesting | std::views::reverse) {
        if (box.size[at(k)] == 1) continue;
        made = mpi::Datatype::strided(box.size[at(k)], strides[at(k)], type);
        type = made.get();
    }
    if (made.get() == MPI_DATATYPE_NULL) made = mpi::Datatype::duplicate(type);
    MPI_Datatype whole = made.get();
    mpi::check(PMPI_Type_commit(&whole));
    return made;
}

HaloBlocks::Side::Side(int slots)
    : counts(at(slots), 0),
      displacements(at(slots), 0),
      types(at(slots), MPI_BYTE)
{}

call::BufferBlocks HaloBlocks::Side::view() const
{
    return call::BufferBlocks::typed(nullptr, static_cast<int>(counts.size()), counts.data(),
                                     displacements.data(), types.data(), nullptr);
}

call::Sides HaloBlocks::lay(const Schedule& schedule, const call::Bases& bases)
{
    bases_ = bases;
    send_ = receive_ = operands_ = Side(halo_.slots());
    std::map<Slot, Slot> wholes;
    for (const schedule::Part& part : schedule.parts) wholes.emplace(part.part, part.whole);
    for (const Slot slot : named(schedule)) {
        if (slot.buffer == Buffer::temp) continue;
        const auto found = wholes.find(slot);
        const Slot whole = found == wholes.end() ? slot : found->second;
        if (reduces_)
            lay_reduction(schedule, slot, whole);
        else
            lay_exchange(schedule, slot, whole);
    }
    if (!reduces_) return {send_.view(), receive_.view(), {}};

    // Elements that are reduced lie in a row.
    for (const int slot : schedule.temp) {
        operands_.counts[at(slot)] = field_of(slot).shape.box(region_of(slot), region_of(slot)).cells();
        operands_.types[at(slot)] = field_of(slot).element;
    }
    return {send_.view(), receive_.view(), operands_.view()};
}

std::vector<int> HaloBlocks::via(const Schedule& schedule, Slot whole) const
{
    const int slot = whole.buffer == Buffer::temp ? schedule.temp[at(whole.index)] : whole.index;
    if (slot >= halo_.slots()) return std::vector<int>(at(halo_.grid.dimensions()), 0);
    const auto region = region_of(slot);
    return {region.begin(), region.end()};
}

void HaloBlocks::lay_exchange(const Schedule& schedule, Slot slot, Slot whole)
{
    const auto region = region_of(slot.index);
    const grid::GhostedArray& shape = field_of(slot.index).shape;
    void* const base = bases_[field_index(slot.index)];
    if (slot.buffer == Buffer::receive)
        put(receive_, slot.index, base, shape.box(region, region));
    else
        put(send_, slot.index, base, shape.box(region, via(schedule, whole)));
}

void HaloBlocks::lay_reduction(const Schedule& schedule, Slot slot, Slot whole)
{
    const auto region = region_of(slot.index);
    const Field& field = field_of(slot.index);
    void* const base = bases_[field_index(slot.index)];
    if (slot.buffer == Buffer::send) {
        put(send_, slot.index, base, field.shape.box(region, region));
        return;
    }
    const std::vector<int> from = via(schedule, whole);
    grid::Box box = field.shape.box(region, from);
    if (whole.buffer != Buffer::temp) {
        put(receive_, slot.index, base, box);
        return;
    }
    // Part of a copy of a ghost region, which is an array of its own.
    const grid::Box copied = field.shape.box(from, from);
    std::vector<MPI_Aint> strides(box.start.size());
    MPI_Aint stride = mpi::measure(field.element).extent;
    for (const int k : field.nesting | std::views::reverse) {
        strides[at(k)] = stride;
        stride *= static_cast<MPI_Aint>(copied.size[at(k)]);
        box.start[at(k)] -= copied.start[at(k)];
    }
    put(receive_, slot.index, 0, strides, box);
}

void HaloBlocks::put(Side& side, int slot, void* base, const grid::Box& box)
{
    put(side, slot, static_cast<MPI_Aint>(reinterpret_cast<std::uintptr_t>(base)), field_of(slot).strides,
        box);
}

void HaloBlocks::put(Side& side, int slot, MPI_Aint begin, const std::vector<MPI_Aint>& strides,
                     const grid::Box& box)
{
    if (box.is_empty()) return;
    for (std::size_t k = 0; k < strides.size(); ++k)
        begin += static_cast<MPI_Aint>(box.start[k]) * strides[k];
    side.counts[at(slot)] = 1;
    side.displacements[at(slot)] = begin;
    side.types[at(slot)] = type_of(field_of(slot), strides, box);
}

MPI_Datatype HaloBlocks::type_of(const Field& field, const std::vector<MPI_Aint>& strides,
                                 const grid::Box& box)
{
    std::vector<MPI_Aint> key{static_cast<MPI_Aint>(mpi::handle_number(field.element))};
    for (const int k : field.nesting) key.insert(key.end(), {box.size[at(k)], strides[at(k)]});
    const auto [found, is_new] = types_.try_emplace(std::move(key));
    if (!is_new) return found->second.get();

    return (found->second = make_box(field, strides, box)).get();
}

} // namespace ortho::collectives
