// SPDX-License-Identifier: BSD-3-Clause
// The adjoint of the halo exchange, one dimension after the other.  No MPI in this file.

#include "algorithm/algorithm.hpp"
#include "algorithm/halo_route.hpp"

namespace ortho::algorithm {

namespace {

/// Reduces every ghost region into the owner's cells, by halo_combining backwards: corners and edges are
/// added to faces on the way, and travel on with them.
///
/// Shapes    as halo_reduce_direct, but the receive slot of a region that goes on is part of the temporary
///           copy of the region that it is added to.
/// Result    at most d phases; contributions are added at the end of each, in the order of bundles and
///           regions.  Ghost cells are read only.
/// Cost      as halo_combining, and one reduction for each region that arrives.
/// Requires  as halo_reduce_direct; processes that forward.
/// Source    doc/algorithms.md, "Halo".
schedule::Schedule build_halo_reduce_combining(const PlannerContext&, const grid::LocalGraph& graph,
                                               const CallSpecification& specification, const Groups&)
{
    return reduce_against(combining_route(*specification.halo), *specification.halo, graph.rank);
}

} // namespace

extern const Algorithm halo_reduce_combining = {
    .name = "halo_reduce_combining",
    .collective = Collective::halo_reduce,
    .does = "sends ghosts along the grid, one dimension after the other, so that edges and corners travel "
            "with the faces, and reduces on the way",
    .slots = Slots::regions,
    .forwards = true,
    .build = build_halo_reduce_combining,
};

} // namespace ortho::algorithm
