// SPDX-License-Identifier: BSD-3-Clause
// Arrays with ghost layers, one on each process of a grid.  No MPI in this file.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "grid/grid.hpp"
#include "grid/neighborhood.hpp"
#include "grid/stencil.hpp"

namespace ortho::grid {

/// The ghost regions that an exchange fills.  Each region of each field is a slot.
///
/// Region s in {-1,0,1}^d, not zero, lies beyond the low face of its array in the dimensions where it is -1,
/// beyond the high face where it is +1, and along the owned cells where it is 0.  The exchange fills it on
/// process r iff r+s is on the grid, with cells that r+s owns.
///
/// Regions are steps, not offsets: on periodic dimensions of size 1 and 2, several may lead to one process.
struct Halo {
    Grid grid;
    int fields = 0;
    /// By slot: a region, and its field.  Slots differ, and are in lexicographic order of (region, field).
    Stencil regions;
    std::vector<int> field;

    int slots() const { return regions.size(); }
    /// The slot of a region of a field, or -1.
    int find(std::span<const int> region, int of_field) const;
    /// By slot: the step of its data, from the process that owns it.
    Stencil steps() const;
    /// Is this slot of process `rank` filled?
    bool is_filled(int rank, int slot) const { return grid.neighbor(rank, regions[slot]) != Grid::nowhere; }

    bool operator==(const Halo&) const = default;
};

/// The opposite offsets.
std::vector<int> against(std::span<const int> offsets);

/// The exchange of fields with these regions.  The regions of a field have any order; equal ones count once.
Halo make_halo(const Grid& grid, const std::vector<Stencil>& regions_by_field);

/// The index of the first offset that is not in {-1,0,1}^d, or -1.
int first_beyond_unit_steps(const Stencil& offsets);
/// Throws base::Error (arg) if some offset is not in {-1,0,1}^d.
void require_unit_steps(const Stencil& offsets);

/// All regions whose data comes along one of these offsets: region s belongs to offset -s.  Offsets must be
/// unit steps.  Throws base::Error (dims) for more than 59 049 = 3^10 regions.
Stencil ghost_regions(const Stencil& offsets);

/// All regions whose data may come along an offset of the neighborhood: -s is that offset modulo the sizes of
/// periodic dimensions.
Stencil ghost_regions(const Neighborhood& neighborhood);
/// All regions that no data can come to, since a dimension without period has one process only.  Throws
/// base::Error (dims) for more than 59 049 regions.
Stencil regions_off_grid(const Grid& grid);
/// The regions among these that data can come to.
Stencil regions_on_grid(const Grid& grid, const Stencil& regions);

/// A box of cells.
struct Box {
    std::vector<std::int64_t> start;
    std::vector<std::int64_t> size;

    bool is_empty() const;
    /// The number of cells; the largest number if there are more.
    std::int64_t cells() const;
};

/// The shape of one process's array: `sizes` cells, of which the first lower[k] and the last upper[k] in
/// dimension k are ghosts.  Dimensions beyond the grid's are not divided among processes, and have no ghosts.
/// Regions have the grid's dimensions, and extend over the whole of all others.
struct GhostedArray {
    std::vector<std::int64_t> sizes;
    std::vector<std::int64_t> lower;
    std::vector<std::int64_t> upper;

    int dimensions() const { return static_cast<int>(sizes.size()); }
    bool is_empty() const { return std::ranges::find(sizes, 0) != sizes.end(); }
    std::int64_t owned(int k) const
    {
        const auto i = static_cast<std::size_t>(k);
        return sizes[i] - lower[i] - upper[i];
    }
    /// The number of ghost layers on side -1 or +1 of dimension k.
    std::int64_t depth(int k, int side) const
    {
        const auto i = static_cast<std::size_t>(k);
        return side < 0 ? lower[i] : upper[i];
    }
    /// The side of the owned cells on which a region lies in dimension k: -1, 0, +1.
    static int side_of(std::span<const int> region, int k)
    {
        const auto i = static_cast<std::size_t>(k);
        return i < region.size() ? region[i] : 0;
    }
    /// Throws base::Error (arg) for negative numbers of layers, and where there is no room for all layers.
    /// `whose` is a text to put before the name of an argument.
    void require_room(const std::string& whose = {}) const;
    /// False if the region lies on a side without layers, and has no cells.
    bool has_depth(std::span<const int> region) const;

    /// The place of the data of another process's ghost region on a process that passes it on.  `via` is
    /// `region` with some components set to 0.  The data lies in this process's ghost region `via`, and in
    /// the dimensions set to 0 in the owned layers next to the face.  So via = 0 is the place at the owner,
    /// and via = region is the ghost region itself.
    Box box(std::span<const int> region, std::span<const int> via) const;
};

/// The regions among these that have layers.
Stencil with_layers(const Stencil& regions, const GhostedArray& shape);

/// Throws base::Error (arg) unless an array owns the layers that a neighbor has as ghosts in that region.
/// `whose` is a text to put before the name of an argument.
void require_owned_layers(const GhostedArray& shape, std::span<const int> region,
                          const std::string& whose = {});

} // namespace ortho::grid
