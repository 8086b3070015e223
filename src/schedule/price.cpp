// SPDX-License-Identifier: BSD-3-Clause
// The price of work on a machine.  No MPI in this file.

#include "schedule/price.hpp"

#include <algorithm>

#include "base/arithmetic.hpp"

namespace ortho::schedule {

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
