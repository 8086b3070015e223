// SPDX-License-Identifier: BSD-3-Clause
// Conditions and variants that several algorithms have.  No MPI in this file.
#pragma once

#include <string_view>

#include "algorithm/algorithm.hpp"
#include "algorithm/call_specification.hpp"
#include "algorithm/why_not.hpp"

namespace ortho::algorithm {

/// Blocks pass through processes that must know their sizes.
WhyNot sizes_must_agree(const PlannerContext& context, const CallSpecification& specification);
/// The processes are on several nodes, and the node of each is known.
WhyNot several_nodes(const PlannerContext& context);
/// A process can look at all edges of its node, and of the nodes that it sends to.
WhyNot few_edges(const grid::Neighborhood& neighborhood, const grid::Nodes& nodes);
/// All conditions of algorithms with agents on nodes.
WhyNot nodes_must_be_known(const PlannerContext& context, const CallSpecification& specification);
/// Messages between nodes may travel together, and some leave their node.  A stencil has other algorithms,
/// unless the user names this one.
WhyNot wires_must_reach(const PlannerContext& context, const CallSpecification& specification);
/// Partial results are made on the way, in another order.
WhyNot results_must_combine(const PlannerContext& context, const CallSpecification& specification);

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
