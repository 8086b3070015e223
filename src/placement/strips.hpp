// SPDX-License-Identifier: BSD-3-Clause
// Nodes one after the other along strips of a grid.  No MPI in this file.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "grid/neighborhood.hpp"
#include "placement/edge_cut.hpp"

namespace ortho::placement {

/// Strips that run along one dimension; each other dimension k is cut into counts[k] intervals (see
/// boxes.hpp).
struct Strips {
    int along = 0;
    std::vector<int> counts; ///< that of `along` is 1
    double promise = 0;      ///< the cut, estimated; exact if nodes are whole boxes
};

/// All points, strip by strip, and slice by slice along each strip.  The direction alternates from strip to
/// strip, from slice to slice and from row to row: in a strip, consecutive points are neighbors.
std::vector<int> points_along(const grid::Grid& grid, const Strips& strips);

/// At most `most` strips that promise to cut least, the best first, for `nodes` nodes of equal sizes, whole
/// or not, one after the other.  The promise is the cut of boxes with the strips' width and a node's volume.
/// The search looks at `effort` strips at most.
///
/// Source    S. Hunold, K. von Kirchbach, M. Lehr, C. Schulz, J. L. Träff: Efficient Process-to-Node Mapping
///           Algorithms for Stencil Computations, CLUSTER 2020, section V.  There the width of strips follows
///           from the stencil; here all widths are compared.  Whole boxes have any factors of a node's size,
///           Gropp's too.
std::vector<Strips> promising_strips(const grid::Neighborhood& neighborhood,
                                     std::span<const std::int64_t> weights, int nodes, int most,
                                     int effort = 100'000);

/// Gives the first sizes[order[0]] points to node order[0], and so on.
NodeOfPoint nodes_along(std::span<const int> points, std::span<const int> sizes, std::span<const int> order);

} // namespace ortho::placement
