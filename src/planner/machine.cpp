// SPDX-License-Identifier: BSD-3-Clause
// What work takes on a machine.  No MPI in this file.

#include "planner/machine.hpp"

#include <algorithm>
#include <limits>

namespace ortho::planner {

Machine with_shared_memory(Machine machine)
{
    machine.node = machine.shared;
    return machine;
}

std::int64_t times_plus(std::int64_t a, std::int64_t b, std::int64_t c)
{
    std::int64_t result = 0;
    if (__builtin_mul_overflow(a, b, &result) || __builtin_add_overflow(result, c, &result))
        return std::numeric_limits<std::int64_t>::max();
    return result;
}

std::int64_t predict(const Machine& machine, const Layout& layout, const Work& work)
{
    // Of several nodes of which no more is known, all leaves them.
    Work split = work;
    if (layout.nodes == nullptr) {
        split.off_phases = layout.one_node ? 0 : work.phases;
        split.off_messages = layout.one_node ? 0 : work.messages;
        split.off_bytes = layout.one_node ? 0 : work.bytes;
        split.node_bytes = 0;
    }
    const Link& near = machine.node;
    const Link& far = machine.network;
    const auto left = [](std::int64_t all, std::int64_t off) { return std::max<std::int64_t>(0, all - off); };
    // Where processes share cores, a phase is over when each has had its turn.
    const auto phase = [&](const Link& link) {
        return times_plus(layout.processes_a_core, layout.processes_a_core > 1 ? link.switch_ps : 0, link.latency_ps);
    };
    std::int64_t busy = times_plus(left(work.messages, split.off_messages), times_plus(1, near.send_ps, near.receive_ps), 0);
    busy = times_plus(split.off_messages, times_plus(1, far.send_ps, far.receive_ps), busy);
    busy = times_plus(work.blocks, machine.block_ps, busy);
    busy = times_plus(left(work.bytes, split.off_bytes), near.byte_ps, busy);
    busy = times_plus(work.reduced_bytes, machine.reduce_byte_ps, busy);
    // All processes of a core are as busy as this one, one after the other.
    std::int64_t time = times_plus(layout.processes_a_core, busy, 0);
    const std::int64_t sending = times_plus(layout.processes_a_core, times_plus(split.off_bytes, far.byte_ps, 0), 0);
    time = times_plus(1, std::max(sending, times_plus(split.node_bytes, machine.injection_byte_ps, 0)), time);
    time = times_plus(left(work.phases, split.off_phases), phase(near), time);
    return times_plus(split.off_phases, phase(far), time);
}

} // namespace ortho::planner
