// SPDX-License-Identifier: BSD-3-Clause
// Finds a grid on which the edges of processes are one stencil, when nobody has named one.  No MPI in this
// file; doc/algorithms.md has the proofs.
#pragma once

#include <optional>
#include <vector>

#include "grid/grid.hpp"
#include "grid/local_graph.hpp"

namespace ortho::grid {

/// No stencil of fewer edges at a process is worth a search, and none of more is looked for.
inline constexpr int least_searched = 3;
inline constexpr int most_searched = 1024;
inline constexpr int most_searched_dimensions = 4;

/// The hash of an edge, or of all edges of a process, and that of the mirror image.  The mirror of process r
/// is process p - 1 - r, and the mirror of an edge leads the other way.  On each grid the edges of a stencil
/// are their own mirror images.  So the largest and the smallest hash are those of the mirror images, too.
struct MirrorHashes {
    MirrorHashes(int processes, int from, int to);
    MirrorHashes(int processes, const LocalGraph& graph);
    long long original, mirror;
};

/// The processes, in increasing order, whose edges find_grid() wants to know: all of few, and some of many.
std::vector<int> searched_ranks(int processes);

/// A grid of all processes, with up to 4 dimensions, on which the edges of the processes in `known` are those
/// of one stencil.  Among several grids it is one on which a block takes few kinds of hops.
///
/// Shapes   `known` has the graphs of searched_ranks(), in that order.
/// Result   Nothing if there is no such grid.  Other processes may have other edges: they must be asked
///          whether they have that stencil.
/// Cost     Local.  O(s t log t) for each of the possible dimensions, a triple of factors of `processes`; s
///          is the number of known processes.
std::optional<Grid> find_grid(int processes, const std::vector<LocalGraph>& known);

} // namespace ortho::grid
