// SPDX-License-Identifier: BSD-3-Clause
// Environment variables.  No MPI in this file.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ortho::base {

/// The value of an environment variable; nothing if it is unset or empty.
std::optional<std::string> environment(const char* name);

/// Is any variable set whose name begins with ORTHO_?  To ask once takes less time than to look for each.
bool any_variable_of_ours();

/// The number, from 1 on, that is all of a text; nothing if there is none.
std::optional<int> positive_number(std::string_view text);

/// What a text says of a thing that is or is not: 1, true, yes, on, or 0, false, no, off, in any case;
/// nothing if it is none of these.
std::optional<bool> truth_of(std::string_view text);

/// The value of an environment variable that says so; nothing if it is unset or does not.
std::optional<bool> environment_flag(const char* name);

/// The value of an environment variable that holds a positive number; nothing
/// if it is unset or is not one.
std::optional<int> environment_number(const char* name);

/// What to say of variables that begin with ORTHO_ but mean nothing here, and of those whose values do not:
/// a sentence each.
std::vector<std::string> odd_variables();

} // namespace ortho::base
