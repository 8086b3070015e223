// SPDX-License-Identifier: BSD-3-Clause
// The adjoint of the halo exchange, one message for each region.  No MPI in this file.

#include "algorithm/algorithm.hpp"
#include "algorithm/halo_route.hpp"

namespace ortho::algorithm {

namespace {

/// Reduces every ghost region into the owner's cells.
///
/// Shapes    n slots, each a region of a field.  Send slot i: region i; receive slot i: the cells of the
///           field that fill region i of another process.  The receive slots of field f are parts of
///           receive slot n+f, the owned cells, which has no other use.
/// Result    one phase; contributions are added at its end, in the order of bundles and regions.
/// Cost      as halo_direct, and one reduction for each region that arrives.
/// Requires  a commutative operator; owned sizes that agree across shared faces.
/// Source    T. Hoefler, J. L. Traff: Sparse Collective Operations for MPI, HIPS 2009, II-D, asks for it.
schedule::Schedule build_halo_reduce_direct(const PlannerContext&, const grid::LocalGraph& graph,
                                            const CallSpecification& specification, const Groups&)
{
    return reduce_against(direct_route(*specification.halo), *specification.halo, graph.rank);
}

} // namespace

extern const Algorithm halo_reduce_direct = {
    .name = "halo_reduce_direct",
    .collective = Collective::halo_reduce,
    .does = "sends every neighbor its ghosts in one message, all at once, and reduces what arrives",
    .slots = Slots::regions,
    .build = build_halo_reduce_direct,
};

} // namespace ortho::algorithm
