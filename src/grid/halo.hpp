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
/// beyond the high face where it is +1, and along the owned cells where it is 0.  On process r it is filled
/// iff r+s is on the grid, with what r+s owns.
///
/// Regions are steps, not offsets: on periodic dimensions of size 1 and 2 several of them lead to one
/// process, or to oneself.
struct Halo {
    Grid grid;
    int fields = 0;
    /// By slot: a region, and the field that it is one of.  In lexicographic order of (region, field), no two
    /// alike.
    Stencil regions;
    std::vector<int> field;

    int slots() const { return regions.size(); }
    /// The slot of a region of a field, or -1.
    int find(std::span<const int> region, int of_field) const;
    /// By slot: the step that its data takes, from the process that owns it.
    Stencil steps() const;
    /// Is this slot of process `rank` filled?
    bool is_filled(int rank, int slot) const { return grid.neighbor(rank, regions[slot]) != Grid::nowhere; }

    bool operator==(const Halo&) const = default;
};

/// The exchange of fields each of which has these regions, in any order; equal ones count once.
Halo make_halo(const Grid& grid, const std::vector<Stencil>& regions_by_field);

/// The index of the first offset that is not in {-1,0,1}^d, or -1.
int first_beyond_unit_steps(const Stencil& offsets);
/// Throws base::Error (arg) if there is such an offset.
void require_unit_steps(const Stencil& offsets);

/// All regions whose data comes along one of these offsets: those s of which -s is one of them.  Offsets must
/// be unit steps.  Throws base::Error (dims) for more than 59 049 = 3^10 of them.
Stencil ghost_regions(const Stencil& offsets);

/// The same where only the processes are known that offsets lead to: those s of which -s is an offset of the
/// neighborhood modulo the sizes of periodic dimensions.
Stencil ghost_regions(const Neighborhood& neighborhood);
/// All regions that nobody's data can come to, since a dimension without period has but one process.
/// Throws likewise.
Stencil regions_off_grid(const Grid& grid);
/// Of these regions those that somebody's data can come to.
Stencil regions_on_grid(const Grid& grid, const Stencil& regions);

/// A box of cells.
struct Box {
    std::vector<std::int64_t> start;
    std::vector<std::int64_t> size;

    bool is_empty() const;
    /// How many; the largest number if it is more.
    std::int64_t cells() const;
};

/// The shape of one process's array: `sizes` cells, of which the first lower[k] and the last
/// upper[k] in dimension k are ghosts.  Dimensions beyond the grid's are not divided among processes, and have
/// no ghosts: regions, of the grid's dimensions, lie along all of them.
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
    /// Layers of ghosts on side -1 or +1 of dimension k.
    std::int64_t depth(int k, int side) const
    {
        const auto i = static_cast<std::size_t>(k);
        return side < 0 ? lower[i] : upper[i];
    }
    /// On which side of the owned cells a region lies in dimension k: -1, 0, +1.
    static int side_of(std::span<const int> region, int k)
    {
        const auto i = static_cast<std::size_t>(k);
        return i < region.size() ? region[i] : 0;
    }
    /// Throws base::Error (arg) unless there are no negative numbers of layers, and room for all of them.
    /// `whose`: what stands before the name of an argument.
    void require_room(const std::string& whose = {}) const;
    /// A region with a side that has no layers has no cells anywhere.
    bool has_depth(std::span<const int> region) const;

    /// Where a process that passes on the data of another's ghost region finds it: in its own ghost
    /// region `via`, which is `region` with some components set to 0, and in the layers of
    /// owned cells next to the face in those.  So via = 0 is the owner's place of the data, and
    /// via = region is the ghost region itself.
    Box box(std::span<const int> region, std::span<const int> via) const;
};

/// Of these regions those that have layers.
Stencil with_layers(const Stencil& regions, const GhostedArray& shape);

/// Throws base::Error (arg) unless an array owns the layers that a neighbor has as ghosts in that region.
/// `whose`: what stands before the name of an argument.
void require_owned_layers(const GhostedArray& shape, std::span<const int> region,
                          const std::string& whose = {});

} // namespace ortho::grid
