// SPDX-License-Identifier: BSD-3-Clause
// The counts of a schedule, its work phase by phase, and what that takes on a machine.  No MPI in this file.

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

Cost cost(const Schedule& schedule)
{
    Cost result;
    for (const Phase& phase : schedule.phases) result.phases += phase.rounds.size() > 0 ? 1 : 0;
    for (const Round& round : schedule.rounds) {
        if (round.to != nobody) {
            ++result.messages;
            result.blocks += round.sends.size();
        }
        if (round.from != nobody) {
            ++result.messages_in;
            result.blocks_in += round.receives.size();
        }
    }
    for (const Action& action : schedule.actions)
        ++(action.kind == Action::Kind::copy ? result.copies : result.reductions);
    return result;
}

using base::times_plus;

namespace {

/// The link for messages of so many bytes.
const Link& link_on_node(const Machine& machine, std::int64_t bytes)
{
    const auto& large = machine.node_large;
    return large && message_ps(*large, bytes) < message_ps(machine.node, bytes) ? *large : machine.node;
}

} // namespace

std::int64_t predict(const Machine& machine, const Layout& layout, const Work& work)
{
    // With several nodes that are not known, all messages leave their node.
    Work split = work;
    if (layout.nodes == nullptr) {
        split.off_phases = layout.one_node ? 0 : work.phases;
        split.off_messages = layout.one_node ? 0 : work.messages;
        split.off_bytes = layout.one_node ? 0 : work.bytes;
        split.node_bytes = 0;
    }
    const auto left = [](std::int64_t all, std::int64_t off) { return std::max<std::int64_t>(0, all - off); };
    const std::int64_t near_messages = left(work.messages, split.off_messages);
    const std::int64_t near_bytes = left(work.bytes, split.off_bytes);
    const std::int64_t near_phases = left(work.phases, split.off_phases);
    const Link& near = link_on_node(machine, near_bytes / std::max<std::int64_t>(1, near_messages));
    const Link& far = machine.network;

    // Messages that meet may lose time, on the way out of their node, too.  One that takes less time than it
    // takes to begin the next one meets none.
    const std::int64_t message_bytes = split.off_bytes / std::max<std::int64_t>(1, split.off_messages);
    const std::int64_t in_a_phase = split.off_messages / std::max<std::int64_t>(1, split.off_phases);
    const bool meet = times_plus(message_bytes, far.byte_ps, 0) > far.send_ps;
    const std::int64_t met_byte_ps = meet ? meeting_byte_ps(machine, in_a_phase) : far.byte_ps;
    const std::int64_t injection_ps = met_byte_ps == far.byte_ps
                                          ? machine.injection_byte_ps
                                          : times_plus(machine.injection_byte_ps, met_byte_ps, 0) /
                                                std::max<std::int64_t>(1, far.byte_ps);

    // Local work before messages are sent and after they have come; and the work for each message.
    std::int64_t local = times_plus(work.blocks, machine.block_ps, 0);
    local = times_plus(work.reduced_bytes, machine.reduce_byte_ps, local);
    std::int64_t overheads = times_plus(near_messages, times_plus(1, near.send_ps, near.receive_ps), 0);
    overheads = times_plus(split.off_messages, times_plus(1, far.send_ps, far.receive_ps), overheads);

    if (const std::int64_t processes = layout.processes_a_core; processes > 1) {
        // The processes of a core are equally busy, one after the other.  Whenever one waits another one goes
        // on, so that nothing hides.  A phase is over when each process has had its turn.
        std::int64_t busy = times_plus(1, local, overheads);
        busy = times_plus(near_bytes, near.byte_ps, busy);
        std::int64_t time = times_plus(processes, busy, 0);
        const std::int64_t sending = times_plus(processes, times_plus(split.off_bytes, met_byte_ps, 0), 0);
        time = times_plus(1, std::max(sending, times_plus(split.node_bytes, injection_ps, 0)), time);
        time = times_plus(near_phases, times_plus(processes, near.switch_ps, near.latency_ps), time);
        return times_plus(split.off_phases, times_plus(processes, far.switch_ps, far.latency_ps), time);
    }

    std::int64_t core = times_plus(near_bytes, near.copy_ps, overheads);
    core = times_plus(split.off_bytes, far.copy_ps, core);
    // The first message of a phase is sent, all messages travel, the last one is received.
    const auto phase = [](const Link& link) {
        return times_plus(1, link.latency_ps, times_plus(1, link.send_ps, link.receive_ps));
    };
    // Messages on one link arrive together, so half of them are received once all are there.
    const auto others = [&](const Link& link, std::int64_t messages, std::int64_t phases,
                            std::int64_t carrying) {
        const std::int64_t more = left(messages, phases);
        return std::max(times_plus(more, link.send_ps, 0), times_plus(more, link.receive_ps / 2, carrying));
    };
    const std::int64_t out = std::max(times_plus(split.off_bytes, met_byte_ps, 0),
                                      times_plus(split.node_bytes, injection_ps, 0));
    std::int64_t way = std::max(
        others(near, near_messages, near_phases, times_plus(near_bytes, near.byte_ps, 0)),
        others(far, split.off_messages, split.off_phases, out));
    way = times_plus(near_phases, phase(near), way);
    way = times_plus(split.off_phases, phase(far), way);
    return times_plus(1, std::max(core, way), local);
}

} // namespace ortho::schedule
