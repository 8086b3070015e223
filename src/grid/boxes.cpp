// SPDX-License-Identifier: BSD-3-Clause
// Grids cut into equal boxes.  No MPI in this file.

#include "grid/boxes.hpp"

namespace ortho::grid {

NodeOfPoint on_boxes(const Grid& grid, const std::vector<int>& box)
{
    NodeOfPoint result(static_cast<std::size_t>(grid.points()));
    for (int point = 0; point < grid.points(); ++point) {
        int node = 0;
        for (int k = 0; k < grid.dimensions(); ++k) {
            const int size = box[static_cast<std::size_t>(k)];
            node = node * (grid.size(k) / size) + grid.coordinate(point, k) / size;
        }
        result[static_cast<std::size_t>(point)] = node;
    }
    return result;
}

} // namespace ortho::grid
