// SPDX-License-Identifier: BSD-3-Clause
// Stencil allreduce by message combining, several dimensions at a time.  No MPI in this file.

#include "algorithm/algorithm.hpp"
#include "algorithm/conditions.hpp"

namespace ortho::algorithm {

extern const Algorithm allreduce_combining;

namespace {

/// As allreduce_combining, which is this algorithm with one dimension a group: fewer phases, and blocks that
/// travel less far, for more messages.
///
/// Shapes    as allreduce_combining.
/// Result    one phase a group, as there.
/// Cost      messages and blocks lie between those of allreduce_direct and of allreduce_combining.
/// Requires  as allreduce_combining.
/// Errors    none of its own.
/// Source    as allreduce_combining; the choice of groups is our own (DimensionGroups).
schedule::Schedule build_allreduce_grouped(const PlannerContext& context, const grid::LocalGraph& graph,
                                           const CallSpecification& specification, const Groups& groups)
{
    return allreduce_combining.build(context, graph, specification, groups);
}

} // namespace

extern const Algorithm allreduce_grouped = {
    .name = "allreduce_grouped",
    .collective = Collective::allreduce,
    .does = results_by_groups,
    .slots = Slots::canonical,
    .forwards = true,
    .why_not = results_must_combine,
    .variants = any_groups,
    .build = build_allreduce_grouped,
};

} // namespace ortho::algorithm
