// SPDX-License-Identifier: BSD-3-Clause
// The blocks of a halo exchange: boxes of cells of the user's arrays.

#include "collectives/halo_blocks.hpp"

#include <algorithm>
#include <map>
#include <numeric>
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

std::vector<int> nesting_of(const grid::Grid& grid)
{
    std::vector<int> result(at(grid.dimensions()));
    std::iota(result.begin(), result.end(), 0);
    if (grid.order() == grid::Order::col_major) std::ranges::reverse(result);
    return result;
}

HaloBlocks::Side::Side(int slots)
    : counts(at(slots), 0),
      displacements(at(slots), 0),
      types(at(slots), MPI_BYTE)
{}

engine::Blocks HaloBlocks::Side::view() const
{
    return engine::Blocks::typed(nullptr, static_cast<int>(counts.size()), counts.data(),
                                 displacements.data(), types.data(), nullptr);
}

engine::Sides HaloBlocks::lay(const Schedule& schedule)
{
    const int slots = halo_.regions.size() * halo_.fields;
    send_ = receive_ = operands_ = Side(slots);
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

    // What is reduced lies in a row.
    for (const int slot : schedule.temp) {
        const grid::Box region = fields_.shape.box(region_of(slot), region_of(slot));
        operands_.counts[at(slot)] = static_cast<int>(region.cells()); // an int, as is checked
        operands_.types[at(slot)] = fields_.elements[field_of(slot)];
    }
    return {send_.view(), receive_.view(), operands_.view()};
}

std::vector<int> HaloBlocks::via(const Schedule& schedule, Slot whole) const
{
    const int slot = whole.buffer == Buffer::temp ? schedule.temp[at(whole.index)] : whole.index;
    if (slot >= halo_.regions.size() * halo_.fields) return std::vector<int>(at(halo_.grid.dimensions()), 0);
    const auto region = region_of(slot);
    return {region.begin(), region.end()};
}

void HaloBlocks::lay_exchange(const Schedule& schedule, Slot slot, Slot whole)
{
    const auto region = region_of(slot.index);
    if (slot.buffer == Buffer::receive)
        put(receive_, slot.index, fields_.shape.box(region, region));
    else
        put(send_, slot.index, fields_.shape.box(region, via(schedule, whole)));
}

void HaloBlocks::lay_reduction(const Schedule& schedule, Slot slot, Slot whole)
{
    const auto region = region_of(slot.index);
    if (slot.buffer == Buffer::send) {
        put(send_, slot.index, fields_.shape.box(region, region));
        return;
    }
    const std::vector<int> from = via(schedule, whole);
    grid::Box box = fields_.shape.box(region, from);
    if (whole.buffer != Buffer::temp) {
        put(receive_, slot.index, box);
        return;
    }
    // Part of a copy of a ghost region, which is an array of its own.
    const grid::Box copied = fields_.shape.box(from, from);
    for (std::size_t k = 0; k < box.start.size(); ++k) box.start[k] -= copied.start[k];
    put(receive_, slot.index, copied.size, box);
}

void HaloBlocks::put(Side& side, int slot, const grid::Box& box)
{
    put(side, slot, fields_.room, box);
    MPI_Aint address = 0;
    mpi::check(PMPI_Get_address(fields_.arrays[field_of(slot)], &address));
    side.displacements[at(slot)] = address;
}

void HaloBlocks::put(Side& side, int slot, const std::vector<int>& room, const grid::Box& box)
{
    if (box.is_empty()) return;
    const auto nested = [&](const std::vector<int>& numbers) {
        std::vector<int> result;
        for (const int k : fields_.nesting) result.push_back(numbers[at(k)]);
        return result;
    };
    MPI_Datatype type = MPI_DATATYPE_NULL;
    mpi::check(PMPI_Type_create_subarray(halo_.grid.dimensions(), nested(room).data(),
                                         nested(box.size).data(), nested(box.start).data(), MPI_ORDER_C,
                                         fields_.elements[field_of(slot)], &type));
    made_.emplace_back(type);
    mpi::check(PMPI_Type_commit(&type));
    side.counts[at(slot)] = 1;
    side.types[at(slot)] = type;
}

} // namespace ortho::collectives
