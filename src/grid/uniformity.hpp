// SPDX-License-Identifier: BSD-3-Clause
// Must all processes of a stencil use one block size?  No MPI in this file.
#pragma once

#include "grid/neighborhood.hpp"

namespace ortho::grid {

/// Whether a legal regular exchange over this neighborhood has one block size everywhere.
///
/// MPI makes sizes agree only along an edge: the send size of r with the receive size of
/// each r+n.  A process that forwards blocks must know the size of blocks that it neither
/// sends nor receives, and may rely on its own only if all sizes hang together and each
/// process has at least one that counts.
///
/// Result   true only if it is so; false where it is not so, or cannot be shown cheaply:
///          exact on tori (the differences of offsets generate the grid's group) and where
///          points * offsets <= exact_up_to (union-find over the edges); elsewhere by a
///          sufficient pattern that common stencils have.
/// Cost     O(t d^2 log) on tori, O(2^d t d) for the pattern.  Local; the same everywhere.
bool sizes_are_uniform(const Neighborhood& neighborhood);

/// Whether a legal regular reduction over this neighborhood has one block size everywhere: there each process
/// has one size, for what it sends and for its result, so that less is needed of the stencil.  Otherwise as
/// above.
bool reduction_sizes_are_uniform(const Neighborhood& neighborhood);

/// The parts of which `sizes_are_uniform` is made, for its tests.
namespace uniformity {

inline constexpr long long exact_up_to = 1LL << 20;

/// Exact, for tori.  `reduction`: the offsets themselves count, not only their differences.
bool differences_generate(const Neighborhood& neighborhood, bool reduction = false);
/// Exact, any grid: O(points * offsets).
bool one_component(const Neighborhood& neighborhood, bool reduction = false);
/// Sufficient, any grid.
bool has_connecting_pattern(const Neighborhood& neighborhood);
/// Sufficient for reductions, any grid: a step along each dimension.
bool has_unit_steps(const Neighborhood& neighborhood);

} // namespace uniformity

} // namespace ortho::grid
