// SPDX-License-Identifier: BSD-3-Clause
// Environment variables.  No MPI in this file.

#include "base/environment.hpp"

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace ortho::base {

std::optional<std::string> environment(const char* name)
{
    const char* const value = std::getenv(name);
    if (value == nullptr || *value == '\0') return std::nullopt;
    return std::string(value);
}

std::optional<int> environment_number(const char* name)
{
    const auto value = environment(name);
    if (!value) return std::nullopt;
    int number = 0;
    const char* const end = value->data() + value->size();
    const auto [last, error] = std::from_chars(value->data(), end, number);
    if (error != std::errc{} || last != end || number < 1) return std::nullopt;
    return number;
}

} // namespace ortho::base
