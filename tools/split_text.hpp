// SPDX-License-Identifier: BSD-3-Clause
// Taking a text apart.  No MPI in this file.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace tools {

/// The text without blanks around it.
std::string_view trimmed(std::string_view text);

/// The parts between the separators, each without blanks around it.
std::vector<std::string_view> split(std::string_view text, std::string_view separator);

/// The first word, which a blank ends; `text` keeps the rest.
std::string_view take_word(std::string_view& text);

/// Nothing unless the whole text is an int.
std::optional<int> parse_integer(std::string_view text);

/// Integers of at least `least`; an empty list for other texts.
std::vector<int> parse_integers(std::string_view text, std::string_view separator, int least);

/// The numbers of a text like "4x4" or "36x32", from 1 on; an empty list for other texts.
inline std::vector<int> parse_product(std::string_view text) { return parse_integers(text, "x", 1); }

} // namespace tools
