// SPDX-License-Identifier: BSD-3-Clause
// Conditions and variants that several algorithms have.  No MPI in this file.

#include "algorithm/conditions.hpp"

#include <algorithm>

#include "algorithm/node_pairs.hpp"

namespace ortho::algorithm {

namespace {

/// The reason, unless sizes are equal everywhere.  `sizes_agree`: they are equal without a comparison.
WhyNot unless(bool sizes_agree, const CallSpecification& specification, WhyNot reason)
{
    switch (specification.compared) {
    case Compared::equal: return WhyNot::nothing;
    case Compared::different: return WhyNot::sizes_differ;
    case Compared::no: break;
    }
    return sizes_agree ? WhyNot::nothing : reason;
}

constexpr WhyNot not_compared{
    "the processes of a node agree on who sends what, which takes longer than one call, and share memory for "
    "it; persistent calls do, and blocking exchanges that come again"};
constexpr WhyNot no_memory{"processes of a node share no memory, or fields may lie elsewhere later"};
constexpr WhyNot none_leaves{"no message leaves its node"};
constexpr WhyNot has_stencil{"all processes have the same neighbors, for which there are other algorithms",
                             true};

} // namespace

WhyNot sizes_must_agree(const PlannerContext& context, const CallSpecification& specification)
{
    if (!context.neighborhood) return WhyNot::not_isomorphic;
    if (specification.irregular)
        return unless(context.irregular_sizes_agree, specification, WhyNot::sizes_may_differ);
    return unless(context.regular_sizes_agree || context.irregular_sizes_agree, specification,
                  WhyNot::counts_may_differ);
}

WhyNot several_nodes(const PlannerContext& context)
{
    if (context.layout.one_node) return WhyNot::one_node;
    return context.layout.nodes == nullptr ? WhyNot::nodes_unknown : WhyNot::nothing;
}

WhyNot few_edges(const grid::Neighborhood& neighborhood, const grid::Nodes& nodes)
{
    constexpr double most = 1 << 24;
    return NodePairs::most_edges(neighborhood, nodes) <= most ? WhyNot::nothing : WhyNot::too_many_edges;
}

WhyNot nodes_must_be_known(const PlannerContext& context, const CallSpecification& specification)
{
    if (const WhyNot why_not = several_nodes(context); why_not != WhyNot::nothing) return why_not;
    if (const WhyNot why_not = sizes_must_agree(context, specification); why_not != WhyNot::nothing)
        return why_not;
    return few_edges(*context.neighborhood, *context.layout.nodes);
}

WhyNot wires_must_reach(const PlannerContext& context, const CallSpecification& specification)
{
    if (const WhyNot why_not = several_nodes(context); why_not != WhyNot::nothing) return why_not;
    const auto& named = specification.algorithms;
    const bool is_named = std::ranges::any_of(named,
                                              [](const auto& name) { return name.ends_with("_node_wires"); });
    if (context.neighborhood && !context.has_found_grid && !is_named) return has_stencil;
    if (!specification.counts) return specification.persistent ? no_memory : not_compared;
    return is_named || specification.counts->off_messages > 0 ? WhyNot::nothing : none_leaves;
}

WhyNot results_must_combine(const PlannerContext& context, const CallSpecification& specification)
{
    if (!context.neighborhood) return WhyNot::not_isomorphic;
    if (!specification.commutative) return WhyNot::not_commutative;
    if (specification.irregular) return WhyNot::results_may_differ;
    return unless(context.reduction_sizes_agree || context.irregular_sizes_agree, specification,
                  WhyNot::counts_may_differ);
}

} // namespace ortho::algorithm
