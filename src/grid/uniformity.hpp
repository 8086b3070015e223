// SPDX-License-Identifier: BSD-3-Clause
// Must all processes of a stencil use one block size?  No MPI in this file.
#pragma once

#include "grid/neighborhood.hpp"

namespace ortho::grid {

/// Does each legal regular exchange over this neighborhood have one block size everywhere?
///
/// MPI makes sizes agree only along an edge: the send size of r and the receive size of each r+n.  A process
/// that forwards blocks must know sizes of blocks that it neither sends nor receives.  It may take its own
/// size for them only if edges connect all sizes and each process has at least one size that counts.
///
/// Result   True only if it is so.  Exact on tori (the differences of offsets generate the grid's group), and
///          where points * offsets <= exact_up_to (union-find over the edges).  Elsewhere true if the stencil
///          has a sufficient pattern that common stencils have.
/// Cost     O(t d^2 log) on tori, O(2^d t d) for the pattern.  Local; the same everywhere.
bool sizes_are_uniform(const Neighborhood& neighborhood);

/// Does each legal regular reduction over this neighborhood have one block size everywhere?  There each
/// process has one size for the blocks that it sends and for its result, so the stencil needs less.
bool reduction_sizes_are_uniform(const Neighborhood& neighborhood);

/// The parts of sizes_are_uniform(), for its tests.
namespace uniformity {

inline constexpr long long exact_up_to = 1LL << 20;

/// Exact, for tori.  With `reduction` the offsets themselves count, not only their differences.
bool differences_generate(const Neighborhood& neighborhood, bool reduction = false);
/// Exact, any grid: O(points * offsets).
bool one_component(const Neighborhood& neighborhood, bool reduction = false);
/// Sufficient, any grid.
bool has_connecting_pattern(const Neighborhood& neighborhood);
/// Sufficient for reductions on any grid: a step along each dimension.
bool has_unit_steps(const Neighborhood& neighborhood);

} // namespace uniformity

} // namespace ortho::grid
