// SPDX-License-Identifier: BSD-3-Clause
// Kinds of networks that a few messages can tell apart.  No MPI in this file.
#pragma once

#include <cstdint>
#include <span>

#include "schedule/machine.hpp"

namespace ortho::planner {

/// The order of magnitude of a network's times, which all runs on a machine find alike.
struct NetworkKind {
    const char* name;
    std::int64_t latency_from_ps; ///< the least time of a byte from one process to another
    std::int64_t byte_from_ps;    ///< the least time of each further byte of a long message
    schedule::Link link;
    std::int64_t injection_byte_ps;
};

/// From the fastest to the slowest; the first one is that of the built-in machine.
std::span<const NetworkKind> network_kinds();

/// The index of the slowest kind for which these times are long enough.
int network_kind_of(std::int64_t latency_ps, std::int64_t byte_ps);

/// The machine with a network of this kind; the first kind changes nothing.
schedule::Machine with_network(schedule::Machine machine, int kind);

} // namespace ortho::planner
