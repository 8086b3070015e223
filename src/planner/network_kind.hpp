// SPDX-License-Identifier: BSD-3-Clause
// Kinds of networks, as far as a few messages can tell them apart.  No MPI in this file.
#pragma once

#include <cstdint>
#include <span>

#include "schedule/machine.hpp"

namespace ortho::planner {

/// What is told of a network by the order of magnitude of its times, so that all runs on a machine find the
/// same.
struct NetworkKind {
    const char* name;
    std::int64_t latency_from_ps; ///< a byte takes as long, or longer, from a process to another one
    std::int64_t byte_from_ps;    ///< and each further byte of a long message as long, or longer
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
