// SPDX-License-Identifier: BSD-3-Clause
// Arrays with ghost layers, one on each process of a grid.  No MPI in this file.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "grid/grid.hpp"
#include "grid/neighborhood.hpp"
#include "grid/stencil.hpp"

namespace ortho::grid {

/// The ghost regions that an exchange fills, of `fields` arrays.  Region s in {-1,0,1}^d, not
/// zero, lies beyond the low face of its array in the dimensions where it is -1, beyond the high
/// face where it is +1, and along the owned cells where it is 0.  On process r it is filled iff
/// r+s is on the grid, with what r+s owns.
///
/// Regions are steps, not offsets: on periodic dimensions of size 1 and 2 several of them lead to one
/// process, or to oneself.
struct Halo {
    Grid grid;
    Stencil regions; ///< in lexicographic order, no two alike
    int fields = 1;

    /// Is region i of process `rank` filled?
    bool is_filled(int rank, int i) const { return grid.neighbor(rank, regions[i]) != Grid::nowhere; }

    bool operator==(const Halo&) const = default;
};

/// The index of the first offset that no step in {-1,0,1}^d leads along, or -1.
int first_beyond_unit_steps(const Neighborhood& neighborhood);
/// Throws base::Error (arg) if there is such an offset.
void require_unit_steps(const Neighborhood& neighborhood);

/// All regions whose data comes along an offset of the neighborhood: those s of which -s is one of
/// them, modulo the sizes of periodic dimensions.  Offsets must be those of unit steps.
/// Throws base::Error (dims) for more than 59 049 = 3^10 of them.
Stencil ghost_regions(const Neighborhood& neighborhood);

/// A box of cells.
struct Box {
    std::vector<int> start;
    std::vector<int> size;

    bool is_empty() const;
    /// How many; the largest number if it is more.
    std::int64_t cells() const;
};

/// The shape of one process's array: `sizes` cells, of which the first lower[k] and the last
/// upper[k] in dimension k are ghosts.
struct GhostedArray {
    std::vector<int> sizes;
    std::vector<int> lower;
    std::vector<int> upper;

    int dimensions() const { return static_cast<int>(sizes.size()); }
    int owned(int k) const
    {
        const auto i = static_cast<std::size_t>(k);
        return sizes[i] - lower[i] - upper[i];
    }
    /// Layers of ghosts on side -1 or +1 of dimension k.
    int depth(int k, int side) const
    {
        const auto i = static_cast<std::size_t>(k);
        return side < 0 ? lower[i] : upper[i];
    }
    /// Throws base::Error (arg) unless there are no negative numbers of layers, and room for all of them.
    void require_room() const;
    /// A region with a side that has no layers has no cells anywhere.
    bool has_depth(std::span<const int> region) const;

    /// Where a process that passes on the data of another's ghost region finds it: in its own ghost
    /// region `via`, which is `region` with some components set to 0, and in the layers of
    /// owned cells next to the face in those.  So via = 0 is the owner's place of the data, and
    /// via = region is the ghost region itself.
    Box box(std::span<const int> region, std::span<const int> via) const;
};

/// The exchange of `fields` such arrays on a neighborhood of unit steps: of all regions those that have
/// layers.
Halo make_halo(const Neighborhood& neighborhood, const GhostedArray& shape, int fields);

/// Throws base::Error (arg) unless an array owns the layers that a neighbor has as ghosts in that region.
void require_owned_layers(const GhostedArray& shape, std::span<const int> region);

/// Of all regions of one array; the largest number if it is more.
std::int64_t ghost_cells(const Halo& halo, const GhostedArray& shape);

} // namespace ortho::grid
