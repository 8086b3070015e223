// SPDX-License-Identifier: BSD-3-Clause
// The tune file: numbers of a machine, and the fastest algorithms of calls.  No MPI in this file.
#pragma once

#include <map>
#include <string>

#include "algorithm/call_specification.hpp"
#include "grid/neighborhood.hpp"
#include "schedule/machine.hpp"

namespace ortho::planner {

using algorithm::CallSpecification;
using schedule::Machine;

/// A machine as a text of lines `name value`: times in picoseconds, whole numbers.
std::string to_text(const Machine& machine);

/// The content of a tune file.
struct Tune {
    Machine machine;
    /// The fastest algorithms of calls, by key_of().
    std::map<std::string, std::string> choices;
    bool tells_of_network = false; ///< else a trial may find the kind of network

    bool operator==(const Tune&) const = default;
};

/// Reads a tune file: lines of to_text(), and lines `choose KEY ALGORITHM`.  A number that is left out has
/// its built-in value; lines that begin with '#' are comments.  Throws base::Error (info) for anything else,
/// with `file` and the line.
Tune parse_tune(const std::string& text, const std::string& file);

/// A short name for a regular call on a stencil: the collective, the grid, the number of offsets and a hash
/// of them, the bytes of a block.
std::string key_of(const grid::Neighborhood& neighborhood, const CallSpecification& specification);

} // namespace ortho::planner
