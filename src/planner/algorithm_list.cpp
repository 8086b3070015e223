// SPDX-License-Identifier: BSD-3-Clause
// The list of algorithms.  No MPI in this file.

#include "planner/algorithm_list.hpp"

#include <algorithm>

namespace ortho::planner {

std::span<const Algorithm* const> all_algorithms()
{
#define ORTHO_ADDRESS(name) &algorithm::name,
    static constexpr const Algorithm* algorithms[] = {ORTHO_ALGORITHMS(ORTHO_ADDRESS)};
#undef ORTHO_ADDRESS
    return algorithms;
}

bool serves(std::string_view name, Collective collective)
{
    return std::ranges::any_of(
        all_algorithms(), [&](const Algorithm* a) { return a->name == name && a->collective == collective; });
}

bool is_unknown(std::string_view name)
{
    return std::ranges::none_of(all_algorithms(), [&](const Algorithm* a) { return a->name == name; });
}

std::vector<std::string_view> all_names()
{
    std::vector<std::string_view> result;
    for (const Algorithm* algorithm : all_algorithms()) result.push_back(algorithm->name);
    return result;
}

} // namespace ortho::planner
