// SPDX-License-Identifier: BSD-3-Clause
// The meaning of a schedule's slots.

#include "plan/slot_table.hpp"

#include <fmt/format.h>

#include "base/index.hpp"

namespace plan {

namespace schedule = ortho::schedule;

namespace {

std::string process_or_none(int rank) { return rank == grid::Grid::nowhere ? "-" : fmt::format("{}", rank); }

void print_offsets(const Course& course)
{
    const tools::Specification& what = course.setting->specification;
    // Slots of combining algorithms are numbered in canonical order.
    const grid::Stencil offsets = course.plan.algorithm->slots == ortho::algorithm::Slots::canonical
                                      ? grid::canonical(what.grid, what.stencil).neighborhood.offsets
                                      : what.stencil;
    const char* const name = course.plan.algorithm->slots == ortho::algorithm::Slots::canonical ? "block"
                                                                                                : "edge";
    fmt::print("{:>5}  {:<18} {:>10} {:>12}\n", name, "offset", "to process", "from process");
    for (int i = 0; i < offsets.size(); ++i)
        fmt::print("{:>5}  {:<18} {:>10} {:>12}\n", i, offset_text({offsets[i].begin(), offsets[i].end()}),
                   process_or_none(what.grid.neighbor(course.rank, offsets[i])),
                   process_or_none(what.grid.neighbor_against(course.rank, offsets[i])));
}

/// The cells of a slot's ghost region; all processes have arrays of one shape.
std::int64_t region_cells(const Setting& setting, int slot)
{
    const auto r = setting.halo->regions[slot];
    return setting.specification.fields->shape.box(r, r).cells();
}

void print_regions(const Course& course)
{
    const grid::Halo& halo = *course.setting->halo;
    const bool back = course.setting->specification.collective == planner::Collective::halo_reduce;
    fmt::print("{:>5} {:>5}  {:<18} {:>10} {:>12} {:>12}\n", "block", "field", "ghost region", "to process",
               "from process", "elements");
    for (int slot = 0; slot < halo.slots(); ++slot) {
        const auto region = halo.regions[slot];
        const int owner = halo.grid.neighbor(course.rank, region);
        const int holder = halo.grid.neighbor_against(course.rank, region);
        fmt::print("{:>5} {:>5}  {:<18} {:>10} {:>12} {:>12}\n", slot, halo.field[ortho::at(slot)],
                   offset_text({region.begin(), region.end()}), process_or_none(back ? owner : holder),
                   process_or_none(back ? holder : owner), region_cells(*course.setting, slot));
    }
}

} // namespace

void print_slots(const Course& course)
{
    if (course.setting->halo)
        print_regions(course);
    else
        print_offsets(course);
}

std::int64_t sent_bytes(const Course& course, const schedule::Round& round)
{
    const Setting& setting = *course.setting;
    const schedule::Schedule& schedule = *course.plan.schedule;
    if (!setting.halo) return ortho::base::times_plus(round.sends.size(), setting.bytes, 0);
    std::int64_t elements = 0;
    for (const schedule::Slot slot : schedule.sends(round)) {
        const int block = slot.buffer == schedule::Buffer::temp ? schedule.temp[ortho::at(slot.index)]
                                                                : slot.index;
        elements = ortho::base::times_plus(1, region_cells(setting, block), elements);
    }
    return ortho::base::times_plus(elements, setting.specification.fields->element_bytes, 0);
}

std::int64_t sent_bytes(const Course& course)
{
    std::int64_t bytes = 0;
    for (const schedule::Round& round : course.plan.schedule->rounds)
        bytes = ortho::base::times_plus(1, sent_bytes(course, round), bytes);
    return bytes;
}

} // namespace plan
