// SPDX-License-Identifier: BSD-3-Clause
// The work of a process in a schedule, phase by phase.  No MPI in this file.

#include "schedule/work.hpp"

#include <algorithm>

#include "base/arithmetic.hpp"
#include "base/index.hpp"

namespace ortho::schedule {

using base::times_plus;

namespace {

/// The sizes of the blocks in slots.
class SlotSizes {
public:
    SlotSizes(const Schedule& schedule, std::span<const std::int64_t> sizes)
        : schedule_(schedule),
          sizes_(sizes)
    {}

    std::int64_t of(Slot slot) const
    {
        if (sizes_.size() == 1) return sizes_[0];
        return sizes_[at(slot.buffer == Buffer::temp ? schedule_.temp[at(slot.index)] : slot.index)];
    }
    std::int64_t of(std::span<const Slot> slots) const
    {
        std::int64_t sum = 0;
        for (const Slot slot : slots) sum = times_plus(1, of(slot), sum);
        return sum;
    }

private:
    const Schedule& schedule_;
    std::span<const std::int64_t> sizes_;
};

} // namespace

Work& operator+=(Work& sum, const Work& work)
{
    sum.phases += work.phases;
    sum.messages += work.messages;
    sum.blocks += work.blocks;
    sum.bytes = times_plus(1, work.bytes, sum.bytes);
    sum.reduced_bytes = times_plus(1, work.reduced_bytes, sum.reduced_bytes);
    sum.off_phases += work.off_phases;
    sum.off_messages += work.off_messages;
    sum.off_bytes = times_plus(1, work.off_bytes, sum.off_bytes);
    sum.node_bytes = times_plus(1, work.node_bytes, sum.node_bytes);
    return sum;
}

std::vector<PhaseLoad> loads_of(const Schedule& schedule, std::span<const std::int64_t> sizes,
                                const grid::Stencil& edge_offsets)
{
    const bool on_grid = schedule.partners == Partners::grid_steps;
    const grid::Stencil& steps = on_grid ? schedule.steps : edge_offsets;
    const SlotSizes size(schedule, sizes);
    std::vector<PhaseLoad> result;
    for (const Phase& phase : schedule.phases) {
        if (result.size() <= at(phase.number)) result.resize(at(phase.number) + 1);
        PhaseLoad& load = result[at(phase.number)];
        load.steps = grid::Stencil(steps.dimensions());
        std::int64_t ends = 0;
        std::int64_t blocks_in = 0;
        std::int64_t amount_in = 0;
        for (const Round& round : schedule.rounds_of(phase)) {
            if (round.to != nobody) {
                ++ends;
                load.blocks += round.sends.size();
                load.steps.push_back(steps[round.to]);
                load.along.push_back(size.of(schedule.sends(round)));
                load.amount = times_plus(1, load.along.back(), load.amount);
            }
            if (round.from != nobody) {
                ++ends;
                blocks_in += round.receives.size();
                amount_in = times_plus(1, size.of(schedule.receives(round)), amount_in);
            }
        }
        load.messages = (ends + 1) / 2;
        load.blocks = std::max(load.blocks, blocks_in);
        load.amount = std::max(load.amount, amount_in);
        for (const auto actions : {schedule.meanwhile(phase), schedule.afterwards(phase)})
            for (const Action& action : actions)
                if (action.kind == Action::Kind::reduce)
                    load.reduced = times_plus(1, size.of(action.from), load.reduced);
    }
    return result;
}

PhaseCounts counts_of(const PhaseLoad& load)
{
    return {load.messages, load.blocks, load.amount, load.reduced};
}

void raise(PhaseCounts& most, const PhaseCounts& other)
{
    const auto raise_one = [](std::int64_t& a, std::int64_t b) { a = std::max(a, b); };
    raise_one(most.messages, other.messages);
    raise_one(most.blocks, other.blocks);
    raise_one(most.amount, other.amount);
    raise_one(most.reduced, other.reduced);
    raise_one(most.off.messages, other.off.messages);
    raise_one(most.off.blocks, other.off.blocks);
    raise_one(most.off.node_blocks, other.off.node_blocks);
}

Work work_of(const PhaseCounts& phase, std::int64_t unit_bytes)
{
    return {.phases = phase.messages > 0 ? 1 : 0,
            .messages = phase.messages,
            .blocks = phase.blocks,
            .bytes = times_plus(phase.amount, unit_bytes, 0),
            .reduced_bytes = times_plus(phase.reduced, unit_bytes, 0),
            .off_phases = phase.off.messages > 0 ? 1 : 0,
            .off_messages = phase.off.messages,
            .off_bytes = times_plus(phase.off.blocks, unit_bytes, 0),
            .node_bytes = times_plus(phase.off.node_blocks, unit_bytes, 0)};
}

} // namespace ortho::schedule
