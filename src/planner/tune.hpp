// SPDX-License-Identifier: BSD-3-Clause
// The tune file: numbers of a machine.  No MPI in this file.
#pragma once

#include <cstdint>
#include <span>
#include <string>

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

using schedule::Machine;

/// A machine as a text of lines `name value`: times in picoseconds, whole numbers.
std::string to_text(const Machine& machine);

/// The content of a tune file.
struct Tune {
    Machine machine;
    bool tells_of_network = false; ///< else a trial may find the kind of network

    bool operator==(const Tune&) const = default;
};

/// The machine that it describes; the one that is built in if it is null.
inline Machine machine_in(const Tune* tune) { return tune != nullptr ? tune->machine : Machine(); }

/// Reads a tune file: lines of to_text().  A number that is left out has its built-in value; lines that begin
/// with '#' are comments.  Throws base::Error (info) for anything else, with `file` and the line.
Tune parse_tune(const std::string& text, const std::string& file);

} // namespace ortho::planner
