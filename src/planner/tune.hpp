// SPDX-License-Identifier: BSD-3-Clause
// The tune file: numbers of a machine.  No MPI in this file.
#pragma once

#include <string>

#include "schedule/machine.hpp"

namespace ortho::planner {

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
