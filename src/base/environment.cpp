// SPDX-License-Identifier: BSD-3-Clause
// Environment variables.  No MPI in this file.

#include "base/environment.hpp"

#include <cctype>
#include <charconv>
#include <cstdlib>

namespace ortho::base {

std::optional<std::string> environment(const char* name)
{
    const char* const value = std::getenv(name);
    if (value == nullptr || *value == '\0') return std::nullopt;
    return std::string(value);
}

std::optional<int> positive_number(std::string_view text)
{
    int number = 0;
    const char* const end = text.data() + text.size();
    const auto [last, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc{} || last != end || number < 1) return std::nullopt;
    return number;
}

std::optional<bool> truth_of(std::string_view text)
{
    std::string lower(text);
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    for (const char* yes : {"1", "true", "yes", "on"})
        if (lower == yes) return true;
    for (const char* no : {"0", "false", "no", "off"})
        if (lower == no) return false;
    return std::nullopt;
}

std::optional<bool> environment_flag(const char* name)
{
    const auto value = environment(name);
    return value ? truth_of(*value) : std::nullopt;
}

std::optional<int> environment_number(const char* name)
{
    const auto value = environment(name);
    return value ? positive_number(*value) : std::nullopt;
}

} // namespace ortho::base
