// SPDX-License-Identifier: BSD-3-Clause
// Halo exchange, one message for each region.  No MPI in this file.

#include "algorithm/algorithm.hpp"
#include "algorithm/halo_route.hpp"

namespace ortho::algorithm {

namespace {

/// Fills every ghost region from the process that owns its cells.
///
/// Shapes    n slots, each a region of a field.  Send slot i: the cells of the field that fill region i of
///           another process; receive slot i: region i itself.  The send slots of field f are parts of send
///           slot n+f, the owned cells, which has no other use.
/// Result    one phase; regions that lead to oneself are copied meanwhile.
/// Cost      far from borders C = #{regions that lead elsewhere}, every region sent once.
///           Checked by tests/unit/algorithm_halo_test.cpp.
/// Requires  owned sizes that agree across shared faces.
/// Source    T. Hoefler, J. L. Traff: Sparse Collective Operations for MPI, HIPS 2009, II-D, asks for it.
schedule::Schedule build_halo_direct(const PlannerContext&, const grid::LocalGraph& graph,
                                     const CallSpecification& specification, const Groups&)
{
    return exchange_along(direct_route(*specification.halo), *specification.halo, graph.rank);
}

} // namespace

extern const Algorithm halo_direct = {
    .name = "halo_direct",
    .collective = Collective::halo,
    .does = "sends every neighbor its cells in one message, all at once",
    .slots = Slots::regions,
    .build = build_halo_direct,
};

} // namespace ortho::algorithm
