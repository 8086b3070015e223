// SPDX-License-Identifier: BSD-3-Clause
// Stencil allgather by message combining, several dimensions at a time.  No MPI in this file.

#include "algorithm/algorithm.hpp"
#include "algorithm/conditions.hpp"

namespace ortho::algorithm {

extern const Algorithm allgather_combining;

namespace {

/// As allgather_combining, which is this algorithm with one dimension a group: fewer phases, and blocks that
/// travel less far, for more messages.
///
/// Shapes    as allgather_combining.
/// Result    one phase a group, as there.
/// Cost      messages and blocks lie between those of allgather_direct and of allgather_combining.
/// Requires  as allgather_combining.
/// Errors    none of its own.
/// Source    as allgather_combining; the choice of groups is our own (DimensionGroups).
schedule::Schedule build_allgather_grouped(const PlannerContext& context, const grid::LocalGraph& graph,
                                           const CallSpecification& specification, const Groups& groups)
{
    return allgather_combining.build(context, graph, specification, groups);
}

} // namespace

extern const Algorithm allgather_grouped = {
    .name = "allgather_grouped",
    .collective = Collective::allgather,
    .does = blocks_by_groups,
    .slots = Slots::canonical,
    .forwards = true,
    .why_not = sizes_must_agree,
    .variants = any_groups,
    .build = build_allgather_grouped,
};

} // namespace ortho::algorithm
