// SPDX-License-Identifier: BSD-3-Clause
// The tune file: a machine in words, and what was found out there.  No MPI in this file.
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

/// What a tune file says.
struct Tune {
    Machine machine;
    /// Calls (key_of) for which an algorithm was found to be the fastest.
    std::map<std::string, std::string> choices;
    bool tells_of_network = false; ///< else a trial may find out about it

    bool operator==(const Tune&) const = default;
};

/// A tune file's text: lines of the above, and lines `choose KEY ALGORITHM`.  What is left out has its
/// built-in value; lines that begin with '#' are comments.  Throws base::Error (info) naming `file` and the
/// line for anything else.
Tune parse_tune(const std::string& text, const std::string& file);

/// A regular call on a stencil in a word: the collective, the grid, the number of offsets and a hash of
/// them, the bytes of a block.
std::string key_of(const grid::Neighborhood& neighborhood, const CallSpecification& specification);

} // namespace ortho::planner
