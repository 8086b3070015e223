// SPDX-License-Identifier: BSD-3-Clause
// Gropp's distribution of a node's processes over a grid.  No MPI in this file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "grid/grid.hpp"
#include "grid/nodes.hpp"
#include "placement/edge_cut.hpp"

namespace ortho::placement {

/// The sizes of the box of points that each node takes: the prime factors of `node_size`, greatest first,
/// each given to the dimension that it divides what is left of, where most is left (of equals, where the box
/// is smallest, then the first).  Nothing if some factor divides what is left of no dimension.
///
/// Source    W. D. Gropp: Using Node Information to Implement MPI Cartesian Topologies, EuroMPI 2018, section
///           2.1, steps 1 to 5.  Ties are not spoken of there; these are what makes the box "square", and
///           give its Table 3.
std::optional<std::vector<int>> gropp_box(const grid::Grid& grid, int node_size);

/// Node n on the n-th of these boxes, in row-major order, as the paper numbers them.  Nothing if nodes are
/// not of one size, or have no such box; then `why` says so, if it is not null.
std::optional<NodeOfPoint> gropp(const grid::Grid& grid, const grid::Nodes& nodes,
                                 std::string* why = nullptr);

} // namespace ortho::placement
