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

/// The sizes of each node's box of points.  Each prime factor of `node_size`, greatest first, goes to a
/// dimension whose rest it divides: where most is left, then where the box is smallest, then the first one.
/// Nothing if some factor divides the rest of no dimension.
///
/// Source    W. D. Gropp: Using Node Information to Implement MPI Cartesian Topologies, EuroMPI 2018, section
///           2.1, steps 1 to 5.  The paper does not speak of ties; the ones here make the box "square", and
///           give its Table 3.
std::optional<std::vector<int>> gropp_box(const grid::Grid& grid, int node_size);

/// Puts node n on the n-th box in row-major order, as the paper numbers them.  Nothing if nodes differ in
/// size, or have no such box; then `why`, if it is not null, gets the reason.
std::optional<NodeOfPoint> gropp(const grid::Grid& grid, const grid::Nodes& nodes,
                                 std::string* why = nullptr);

} // namespace ortho::placement
