// SPDX-License-Identifier: BSD-3-Clause
// Environment variables.  No MPI in this file.
#pragma once

#include <optional>
#include <string>

namespace ortho::base {

/// The value of an environment variable; nothing if it is unset or empty.
std::optional<std::string> environment(const char* name);

/// The value of an environment variable that holds a positive number; nothing
/// if it is unset or is not one.
std::optional<int> environment_number(const char* name);

} // namespace ortho::base
