// SPDX-License-Identifier: BSD-3-Clause
// Environment variables.  No MPI in this file.

#include "base/environment.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <iterator>

#include "base/text.hpp"

extern char** environ;

namespace ortho::base {

namespace {

enum class Value { text, flag };

constexpr std::string_view prefix = "ORTHO_";

struct Variable {
    std::string_view name;
    Value value;
};

/// All variables that the library, the interposer and the programs read.
constexpr Variable variables[] = {
    {"ORTHO_ALGORITHM", Value::text},    {"ORTHO_DEVICE", Value::flag},
    {"ORTHO_EXPLAIN", Value::flag},      {"ORTHO_NODES", Value::text},
    {"ORTHO_PMPI", Value::text},         {"ORTHO_PMPI_PAIRING", Value::text},
    {"ORTHO_PMPI_REORDER", Value::flag}, {"ORTHO_PMPI_REPORT", Value::flag},
    {"ORTHO_PROGRESS", Value::text},     {"ORTHO_SHM", Value::flag},
    {"ORTHO_SINGLE_COPY", Value::flag},  {"ORTHO_STALL_ABORT", Value::flag},
    {"ORTHO_STALL_S", Value::text},      {"ORTHO_STRICT", Value::flag},
    {"ORTHO_TUNE", Value::text},         {"ORTHO_VERIFY", Value::flag},
};

/// Is this a variable of our tests or simulations?
bool is_internal(std::string_view name)
{
    return name.starts_with("ORTHO_TEST_") || name.starts_with("ORTHO_SIMULATED");
}

} // namespace

std::optional<std::string> environment(const char* name)
{
    const char* const value = std::getenv(name);
    if (value == nullptr || *value == '\0') return std::nullopt;
    return std::string(value);
}

bool any_variable_of_ours()
{
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry)
        // Each constructor passes all variables: two letters tell most of them apart, even OMPI_.
        if ((*entry)[0] == prefix[0] && (*entry)[1] == prefix[1] &&
            std::string_view(*entry).starts_with(prefix))
            return true;
    return false;
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

std::vector<std::string> odd_variables()
{
    std::vector<std::string> result;
    std::vector<std::string_view> names;
    for (const Variable& variable : variables) names.push_back(variable.name);
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        const std::string_view name = text.substr(0, text.find('='));
        if (!name.starts_with(prefix) || is_internal(name)) continue;
        const auto found = std::ranges::find(variables, name, &Variable::name);
        if (found == std::end(variables)) {
            result.push_back(base::text(name, " means nothing to mpiortho", did_you_mean(name, names)));
            continue;
        }
        const std::string_view value = text.substr(std::min(text.size(), name.size() + 1));
        if (found->value == Value::flag && !value.empty() && !truth_of(value))
            result.push_back(base::text(name, "=", value, " is neither true nor false"));
    }
    if (environment_flag("ORTHO_STALL_ABORT").value_or(false) && !environment("ORTHO_STALL_S") &&
        !environment_flag("ORTHO_VERIFY").value_or(false))
        result.emplace_back("ORTHO_STALL_ABORT does nothing without ORTHO_STALL_S");
    return result;
}

} // namespace ortho::base
