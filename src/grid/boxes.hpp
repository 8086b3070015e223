// SPDX-License-Identifier: BSD-3-Clause
// Grids cut into equal boxes.  No MPI in this file.
#pragma once

#include <vector>

#include "grid/cut.hpp"
#include "grid/grid.hpp"

namespace ortho::grid {

/// For each point the number of its box, if boxes of these sizes, which divide the grid's, are counted in row-major order.
NodeOfPoint on_boxes(const Grid& grid, const std::vector<int>& box);

} // namespace ortho::grid
