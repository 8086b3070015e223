// SPDX-License-Identifier: BSD-3-Clause
// Stencil reduce_scatter by message combining, several dimensions at a time.  No MPI in this file.

#include "algorithm/algorithm.hpp"
#include "algorithm/conditions.hpp"

namespace ortho::algorithm {

extern const Algorithm reduce_scatter_combining;

namespace {

/// As reduce_scatter_combining, which is this algorithm with one dimension a group: fewer phases, and blocks
/// that travel less far, for more messages.
///
/// Shapes    as reduce_scatter_combining.
/// Result    one phase a group, as there.
/// Cost      messages and blocks lie between those of reduce_scatter_direct and of reduce_scatter_combining.
/// Requires  as reduce_scatter_combining.
/// Errors    none of its own.
/// Source    as reduce_scatter_combining; the choice of groups is our own (DimensionGroups).
schedule::Schedule build_reduce_scatter_grouped(const PlannerContext& context, const grid::LocalGraph& graph,
                                                const CallSpecification& specification, const Groups& groups)
{
    return reduce_scatter_combining.build(context, graph, specification, groups);
}

} // namespace

extern const Algorithm reduce_scatter_grouped = {
    .name = "reduce_scatter_grouped",
    .collective = Collective::reduce_scatter,
    .does = results_by_groups,
    .slots = Slots::canonical,
    .forwards = true,
    .why_not = results_must_combine,
    .variants = any_groups,
    .build = build_reduce_scatter_grouped,
};

} // namespace ortho::algorithm
