// SPDX-License-Identifier: BSD-3-Clause
// The stencil that all processes of a grid have in common.  No MPI in this file.

#include "grid/neighborhood.hpp"

#include <cstdlib>

#include "grid/local_graph.hpp"

namespace ortho::grid {

bool leaves_everywhere(const Grid& grid, std::span<const int> offset)
{
    for (int k = 0; k < grid.dimensions(); ++k) {
        const std::int64_t n = offset[static_cast<std::size_t>(k)];
        if (!grid.periodic(k) && std::abs(n) >= grid.size(k)) return true;
    }
    return false;
}

Canonical canonical(const Grid& grid, const Stencil& offsets)
{
    Stencil reduced(grid.dimensions());
    std::vector<int> origin;
    std::vector<int> row(static_cast<std::size_t>(grid.dimensions()));
    for (int i = 0; i < offsets.size(); ++i) {
        if (leaves_everywhere(grid, offsets[i])) continue;
        for (int k = 0; k < grid.dimensions(); ++k)
            row[static_cast<std::size_t>(k)] = static_cast<int>(grid.representative(k, offsets(i, k)));
        reduced.push_back(row);
        origin.push_back(i);
    }

    const std::vector<int> order = lexicographic_order(reduced);
    Canonical result{{grid, reduced.in_order(order)},
                     std::vector<int>(static_cast<std::size_t>(offsets.size()), gap)};
    int next = 0;
    for (const int i : order)
        result.index[static_cast<std::size_t>(origin[static_cast<std::size_t>(i)])] = next++;
    return result;
}

} // namespace ortho::grid
