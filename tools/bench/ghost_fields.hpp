// SPDX-License-Identifier: BSD-3-Clause
// Fields of three dimensions with ghost layers, on a grid of processes: regions, contents, and checks.
#pragma once

#include <mpi.h>

#include <array>
#include <string>
#include <vector>

#include "bench/array.hpp"
#include "stencil_exchange.hpp"
#include "world_comm.hpp"

namespace bench {

using Point = std::array<int, 3>;

/// A box of elements.
struct Region {
    Point first;
    Point extent;
};

class Ghosts {
public:
    /// `fields` cubes of `side` owned doubles in each dimension and `depth` layers of ghosts around them, for
    /// process `rank` of exchange.dims.  `shared`: in memory that the processes of the node share.
    Ghosts(const Exchange& exchange, int rank, int fields, int side, int depth, bool shared);

    int fields() const { return static_cast<int>(fields_.size()); }
    double* field(int f) { return fields_[static_cast<std::size_t>(f)].data(); }
    int side() const { return side_; }
    int depth() const { return depth_; }
    /// Elements of an array in each dimension.
    int whole() const { return side_ + 2 * depth_; }

    /// The region for the process at `offset`: owned elements next to it.
    Region owned(Point offset) const;
    /// The region from the process at -`offset`.
    Region ghosts(Point offset) const;

    /// Makes as many copies as an exchange, of the same regions, all within this process.
    void copy_regions();

    /// Puts new contents next to the faces, and none into the ghosts.
    void prepare(int sample);
    /// Do the ghosts hold their owners' contents, as computed, and nothing where there is no owner?
    /// `outward`: ghosts that no field moves into may also hold nothing.
    bool is_right(int sample, bool outward = false) const;

    /// Does field f move into its ghosts on this side?  Each field moves along one of the 26 directions, so
    /// it needs the ghosts on the sides that it comes from.
    static bool moves_into(int f, const Point& side);

private:
    template <class Visit>
    void visit_shell(Visit visit) const;
    double content(int f, Point local, int sample) const;

    const Exchange& exchange_;
    Point coordinates_{};
    int side_;
    int depth_;
    std::vector<Array<double>> fields_;
};

/// The exchange with all neighbors, diagonal ones too, on the three-dimensional grid `grid` (parse_grid), for
/// cubes of these sides and depths.  `mistake` gets the reason if there is none.  Collective.
Exchange ghost_exchange(const World& world, const std::string& grid, bool mesh, const std::vector<int>& sides,
                        const std::vector<int>& depths, std::string& mistake);

/// Offset number i of `exchange`, which has three dimensions.
Point offset_of(const Exchange& exchange, int i);

} // namespace bench
