// SPDX-License-Identifier: BSD-3-Clause
// The tune file: a machine in words.  No MPI in this file.
#pragma once

#include <string>

#include "planner/machine.hpp"

namespace ortho::planner {

/// A machine as a text of lines `name value`: times in picoseconds, whole numbers.
std::string to_text(const Machine& machine);

/// The other way round.  Names may be left out, which leaves the built-in value; lines that begin with '#'
/// are comments.  Throws base::Error (info) naming `file` and the line for anything else.
Machine parse_machine(const std::string& text, const std::string& file);

} // namespace ortho::planner
