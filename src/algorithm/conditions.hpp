// SPDX-License-Identifier: BSD-3-Clause
// Conditions that several algorithms have.  No MPI in this file.
#pragma once

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

} // namespace ortho::algorithm
