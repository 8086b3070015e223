// SPDX-License-Identifier: BSD-3-Clause
// Halo exchange, one dimension after the other.  No MPI in this file.

#include "algorithm/algorithm.hpp"
#include "algorithm/halo_route.hpp"

namespace ortho::algorithm {

namespace {

/// Fills the ghost regions face by face.  A message across a face in one dimension also carries the ghosts
/// that have just arrived from earlier dimensions, so that edges and corners come with the faces.
///
/// Shapes    as halo_direct, but if a region is sent on from another one, its send slot is part of that one's
///           receive slot.
/// Result    at most d phases; steps that lead to oneself are copied meanwhile.
/// Cost      far from borders C = 2d for all 3^d-1 regions, every region sent once.  A region whose faces are
///           not wanted is a message of its own.  Checked by tests/unit/algorithm_halo_test.cpp.
/// Requires  owned sizes that agree across shared faces; processes that forward.
/// Source    J. L. Traff, S. Hunold: Cartesian Collective Communication, ICPP 2019, 3.4, asks
///           for it; the rules and their proof are in doc/algorithms.md, "Halo".
schedule::Schedule build_halo_combining(const PlannerContext&, const grid::LocalGraph& graph,
                                        const CallSpecification& specification, const Groups&)
{
    return exchange_along(combining_route(*specification.halo), *specification.halo, graph.rank);
}

} // namespace

extern const Algorithm halo_combining = {
    .name = "halo_combining",
    .collective = Collective::halo,
    .does = "sends cells along the grid, one dimension after the other, so that edges and corners travel "
            "with the faces",
    .slots = Slots::regions,
    .forwards = true,
    .build = build_halo_combining,
};

} // namespace ortho::algorithm
