// SPDX-License-Identifier: BSD-3-Clause
// Environment variables.  No MPI in this file.

#include "base/environment.hpp"

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

std::optional<int> environment_number(const char* name)
{
    const auto value = environment(name);
    return value ? positive_number(*value) : std::nullopt;
}

} // namespace ortho::base
