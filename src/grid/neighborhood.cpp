// SPDX-License-Identifier: BSD-3-Clause
// The stencil that all processes of a grid have in common.  No MPI in this file.

#include "grid/neighborhood.hpp"

#include <cstdlib>

#include "grid/local_graph.hpp"

namespace ortho::grid {

namespace {

/// From no point does the offset stay on the grid.
bool leaves_everywhere(const Grid& grid, std::span<const int> offset)
{
    for (int k = 0; k < grid.dimensions(); ++k) {
        const std::int64_t n = offset[static_cast<std::size_t>(k)];
        if (!grid.periodic(k) && std::abs(n) >= grid.size(k)) return true;
    }
    return false;
}

} // namespace

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

    Canonical result{{grid, Stencil(grid.dimensions())},
                     std::vector<int>(static_cast<std::size_t>(offsets.size()), gap)};
    result.neighborhood.offsets.reserve(reduced.size());
    for (const int i : lexicographic_order(reduced)) {
        result.index[static_cast<std::size_t>(origin[static_cast<std::size_t>(i)])] =
            result.neighborhood.offsets.size();
        result.neighborhood.offsets.push_back(reduced[i]);
    }
    return result;
}

} // namespace ortho::grid
