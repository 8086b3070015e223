// SPDX-License-Identifier: BSD-3-Clause
// What somebody may have meant who misspelt a name.  No MPI in this file.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ortho::base {

/// "; did you mean NAME?", if one of the names is the given one but for two letters that are missing, too
/// many, wrong or swapped; else nothing.
std::string did_you_mean(std::string_view name, std::span<const std::string_view> names);

} // namespace ortho::base
