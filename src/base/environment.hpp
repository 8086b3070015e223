// SPDX-License-Identifier: BSD-3-Clause
// Environment variables.  No MPI in this file.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ortho::base {

/// The value of an environment variable; nothing if it is unset or empty.
std::optional<std::string> environment(const char* name);

/// The number, from 1 on, that is all of a text; nothing if there is none.
std::optional<int> positive_number(std::string_view text);

/// The value of an environment variable that holds a positive number; nothing
/// if it is unset or is not one.
std::optional<int> environment_number(const char* name);

} // namespace ortho::base
