// SPDX-License-Identifier: BSD-3-Clause
// Alltoall and allgather on any graph, with one message between any two nodes.  No MPI in this file.

#include <algorithm>

#include "algorithm/algorithm.hpp"
#include "algorithm/conditions.hpp"

namespace ortho::algorithm {

extern const Algorithm allgather_direct;
extern const Algorithm alltoall_direct;

namespace {

constexpr WhyNot not_compared{
    "the processes of a node agree on who sends what, which takes longer than one call, and share memory for "
    "it; persistent calls do"};
constexpr WhyNot few_messages{"no process sends or receives more than three messages to or from other nodes"};
constexpr WhyNot long_messages{"messages are so long that to gather them takes more than to send them"};
constexpr WhyNot has_stencil{"all processes have the same neighbors, for which there are other algorithms",
                             true};

/// Processes with so few messages send them as quickly as their agents would.
constexpr int most_direct = 3;
/// Bytes of a message that the network takes as long to carry as its ends to begin it.
constexpr std::int64_t long_message = 65536;

WhyNot wires_must_pay(const PlannerContext& context, const CallSpecification& specification)
{
    if (const WhyNot why_not = several_nodes(context); why_not != WhyNot::nothing) return why_not;
    const auto& named = specification.algorithms;
    const bool is_named = std::ranges::any_of(named,
                                              [](const auto& name) { return name.ends_with("_node_wires"); });
    if (context.neighborhood && !is_named) return has_stencil;
    if (!specification.persistent || !specification.off_node) return not_compared;
    if (is_named) return WhyNot::nothing;
    if (specification.off_node->messages <= most_direct) return few_messages;
    return specification.off_node->bytes_a_message >= long_message ? long_messages : WhyNot::nothing;
}

/// Deliver blocks as the direct algorithm does.  The schedule is that one's: between nodes the engine has its
/// messages travel by wires (nodequeue/node_wires.hpp), of which there is one for any two nodes, or one for a
/// process and a node if much goes from node to node.
///
/// Shapes    those of the direct algorithm.
/// Result    one phase, as far as a schedule goes.
/// Cost      a node sends one message to each node that its edges lead to, and bytes that several processes
///           of that node want once.  Checked by tests/unit/wires_test.cpp.
/// Requires  that processes share memory on their nodes, and stay until the operation is over.
/// Errors    none of its own.
/// Source    issue 54; none of the papers.
schedule::Schedule build_alltoall_node_wires(const PlannerContext& context, const grid::LocalGraph& graph,
                                             const CallSpecification& specification, const Groups& groups)
{
    return alltoall_direct.build(context, graph, specification, groups);
}

schedule::Schedule build_allgather_node_wires(const PlannerContext& context, const grid::LocalGraph& graph,
                                              const CallSpecification& specification, const Groups& groups)
{
    return allgather_direct.build(context, graph, specification, groups);
}

constexpr const char* by_wires_between_nodes =
    "sends all that goes from one node to another in one message, and what several processes there want once";

} // namespace

extern const Algorithm allgather_node_wires = {
    .name = "allgather_node_wires",
    .collective = Collective::allgather,
    .does = by_wires_between_nodes,
    .forwards = true,
    .by_wires = true,
    .why_not = wires_must_pay,
    .build = build_allgather_node_wires,
};

extern const Algorithm alltoall_node_wires = {
    .name = "alltoall_node_wires",
    .collective = Collective::alltoall,
    .does = by_wires_between_nodes,
    .forwards = true,
    .by_wires = true,
    .why_not = wires_must_pay,
    .build = build_alltoall_node_wires,
};

} // namespace ortho::algorithm
