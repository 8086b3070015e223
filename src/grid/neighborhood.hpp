// SPDX-License-Identifier: BSD-3-Clause
// The stencil that all processes of a grid have in common.  No MPI in this file.
#pragma once

#include <span>
#include <vector>

#include "grid/grid.hpp"
#include "grid/stencil.hpp"

namespace ortho::grid {

/// A grid and the multiset N of offsets between all processes that communicate: process r sends to r+n and
/// receives from r-n for each n in N for which that process exists.
///
/// `offsets` is canonical: representatives (Grid::representative), in lexicographic order, without those that
/// leave the grid from everywhere.  Schedules use indices of this list, the canonical indices.
struct Neighborhood {
    Grid grid;
    Stencil offsets;

    int size() const { return offsets.size(); }
    int dimensions() const { return grid.dimensions(); }

    bool operator==(const Neighborhood&) const = default;
};

/// True if the offset leaves the grid from each point.
bool leaves_everywhere(const Grid& grid, std::span<const int> offset);

/// The canonical form of a list of offsets of any size and order.  `index[i]` is the canonical index of
/// offset i of the list (equal offsets stay in list order), or `gap`.
struct Canonical {
    Neighborhood neighborhood;
    std::vector<int> index;
};
Canonical canonical(const Grid& grid, const Stencil& offsets);

} // namespace ortho::grid
