// SPDX-License-Identifier: BSD-3-Clause
// Known names that are similar to a name in a user's text.  No MPI in this file.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ortho::base {

/// "; did you mean NAME?" for the most similar name, if at most two letters are missing, too many, wrong or
/// swapped; else an empty text.
std::string did_you_mean(std::string_view name, std::span<const std::string_view> names);

} // namespace ortho::base
