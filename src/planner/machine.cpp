// SPDX-License-Identifier: BSD-3-Clause
// What work takes on a machine.  No MPI in this file.

#include "planner/machine.hpp"

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
    // With borders between nodes some processes have all their partners beyond: all wait for them.
    const Link& link = layout.one_node ? machine.node : machine.network;
    // Where processes share cores, a phase is over when each has had its turn.
    const std::int64_t turns =
        layout.processes_a_core > 1 ? times_plus(layout.processes_a_core, machine.switch_ps, 0) : 0;
    std::int64_t busy = times_plus(work.messages, times_plus(1, link.send_ps, link.receive_ps), 0);
    busy = times_plus(work.blocks, machine.block_ps, busy);
    busy = times_plus(work.bytes, link.byte_ps, busy);
    busy = times_plus(work.reduced_bytes, machine.reduce_byte_ps, busy);
    // All processes of a core are as busy as this one, one after the other.
    return times_plus(work.phases, times_plus(1, link.latency_ps, turns),
                      times_plus(layout.processes_a_core, busy, 0));
}

} // namespace ortho::planner
