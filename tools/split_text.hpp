// SPDX-License-Identifier: BSD-3-Clause
// Taking a text apart.  No MPI in this file.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace tools {

/// Without blanks around it.
std::string_view trimmed(std::string_view text);

/// What stands between the separators, each part without blanks around it.
std::vector<std::string_view> split(std::string_view text, std::string_view separator);

/// The first word, which a blank ends; `text` keeps the rest.
std::string_view take_word(std::string_view& text);

/// Nothing unless the whole text is an int.
std::optional<int> parse_integer(std::string_view text);

/// Integers that are not less than `least`; an empty list for anything else.
std::vector<int> parse_integers(std::string_view text, std::string_view separator, int least);

/// "4x4" or "36x32": numbers from 1 on, or an empty list for anything else.
inline std::vector<int> parse_product(std::string_view text) { return parse_integers(text, "x", 1); }

} // namespace tools
