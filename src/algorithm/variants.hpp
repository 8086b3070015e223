// SPDX-License-Identifier: BSD-3-Clause
// Variants of algorithms, which cross dimensions or nodes in another way.  No MPI in this file.
#pragma once

#include <string_view>

#include "algorithm/algorithm.hpp"
#include "algorithm/conditions.hpp"

namespace ortho::algorithm {

/// The algorithm with several dimensions in a group: fewer phases and shorter ways, but more messages.  Messages
/// and blocks lie between those of the direct and of the combining algorithm.  The choice of groups is our own
/// (DimensionGroups).
constexpr Algorithm in_groups(Algorithm combining, std::string_view name, std::string_view does)
{
    combining.name = name;
    combining.does = does;
    combining.variants = any_groups;
    return combining;
}

/// In groups, with dimensions that are crossed in several steps, the digits of coordinates (OffsetSteps): about
/// log n messages for n coordinates, in more phases, for more blocks.
constexpr Algorithm in_digits(Algorithm combining, std::string_view name, std::string_view does)
{
    combining.name = name;
    combining.does = does;
    combining.splits = true;
    combining.variants = split_groups;
    return combining;
}

constexpr Algorithm in_wires(Algorithm direct, std::string_view name)
{
    direct.name = name;
    direct.does = "sends all that goes from one node to another in one message, and what several processes "
                  "there want once";
    direct.forwards = true;
    direct.by_wires = true;
    direct.why_not = wires_must_reach;
    return direct;
}

} // namespace ortho::algorithm
