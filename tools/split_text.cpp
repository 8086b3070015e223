// SPDX-License-Identifier: BSD-3-Clause
// Taking a text apart.  No MPI in this file.

#include "split_text.hpp"

#include <algorithm>
#include <charconv>

namespace tools {

std::string_view trimmed(std::string_view text)
{
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

std::vector<std::string_view> split(std::string_view text, std::string_view separator)
{
    std::vector<std::string_view> result;
    while (true) {
        const std::size_t end = text.find(separator);
        result.push_back(trimmed(text.substr(0, end)));
        if (end == std::string_view::npos) return result;
        text.remove_prefix(end + separator.size());
    }
}

/// The first word; `text` keeps the rest.
std::string_view take_word(std::string_view& text)
{
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text = trimmed(text.substr(end));
    return word;
}

std::optional<int> parse_integer(std::string_view text)
{
    int number = 0;
    const char* const end = text.data() + text.size();
    const auto [last, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc() || last != end) return std::nullopt;
    return number;
}

std::vector<int> parse_integers(std::string_view text, std::string_view separator, int least)
{
    std::vector<int> result;
    for (const std::string_view part : split(text, separator)) {
        const std::optional<int> number = parse_integer(part);
        if (!number || *number < least) return {};
        result.push_back(*number);
    }
    return result;
}

} // namespace tools
