// SPDX-License-Identifier: BSD-3-Clause
// Stencil alltoall by message combining, several dimensions at a time.  No MPI in this file.

#include "algorithm/algorithm.hpp"
#include "algorithm/conditions.hpp"

namespace ortho::algorithm {

extern const Algorithm alltoall_combining;

namespace {

/// As alltoall_combining, which is this algorithm with one dimension a group: fewer phases, and blocks that
/// travel less far, for more messages.
///
/// Shapes    as alltoall_combining.
/// Result    one phase a group, as there.
/// Cost      messages and blocks lie between those of alltoall_direct and of alltoall_combining.
/// Requires  as alltoall_combining.
/// Errors    none of its own.
/// Source    as alltoall_combining; the choice of groups is our own (DimensionGroups).
schedule::Schedule build_alltoall_grouped(const PlannerContext& context, const grid::LocalGraph& graph,
                                          const CallSpecification& specification, const Groups& groups)
{
    return alltoall_combining.build(context, graph, specification, groups);
}

} // namespace

extern const Algorithm alltoall_grouped = {
    .name = "alltoall_grouped",
    .collective = Collective::alltoall,
    .does = blocks_by_groups,
    .slots = Slots::canonical,
    .forwards = true,
    .why_not = sizes_must_agree,
    .variants = any_groups,
    .build = build_alltoall_grouped,
};

} // namespace ortho::algorithm
