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
    double promise = 0;      ///< what is cut, about; exactly if nodes are whole boxes
};

/// All points, strip by strip, along each slice by slice.  Every strip is walked back where the one before
/// was walked forth, and so are slices and rows, so that in a strip each point is next to the one before it.
std::vector<int> points_along(const grid::Grid& grid, const Strips& strips);

/// The strips that promise to cut least, first the best, at most `most` of them, if nodes of `nodes` equal
/// sizes, whole or not, follow each other: what is promised is what leaves boxes of the strips' width and of
/// a node's volume.  No more than `effort` strips are looked at, if there are as many.
///
/// Source    S. Hunold, K. von Kirchbach, M. Lehr, C. Schulz, J. L. Träff: Efficient Process-to-Node Mapping
///           Algorithms for Stencil Computations, CLUSTER 2020, section V, where the width of strips follows
///           from the stencil; here all are compared.  If the boxes are whole they are those of any factors
///           of a node's size, Gropp's too.
std::vector<Strips> promising_strips(const grid::Neighborhood& neighborhood,
                                     std::span<const std::int64_t> weights, int nodes, int most,
                                     int effort = 100'000);

/// The first sizes[order[0]] of the points to node order[0], and so on.
NodeOfPoint nodes_along(std::span<const int> points, std::span<const int> sizes, std::span<const int> order);

} // namespace ortho::placement
