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

/// Is any variable set whose name begins with ORTHO_?  This takes less time than to look for each variable.
bool any_variable_of_ours();

/// The positive number that the whole text is; nothing if it is not one.
std::optional<int> positive_number(std::string_view text);

/// True for the texts 1, true, yes, on; false for 0, false, no, off; nothing for others.  Capital letters
/// count as small ones.
std::optional<bool> truth_of(std::string_view text);

/// The value of a variable as truth_of() reads it; nothing if the variable is unset or says neither.
std::optional<bool> environment_flag(const char* name);

/// The value of a variable that holds a positive number; nothing if it is unset or holds something else.
std::optional<int> environment_number(const char* name);

/// A sentence for each variable that begins with ORTHO_ but has no meaning here, or whose value has none.
std::vector<std::string> odd_variables();

} // namespace ortho::base
