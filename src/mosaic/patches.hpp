// SPDX-License-Identifier: BSD-3-Clause
// Boxes of tiles that processes own.  No MPI in this file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mosaic/tiles.hpp"

namespace ortho::mosaic {

/// A box of cells of one tile.
struct Patch {
    int tile = 0;
    Box cells{};
};

/// All patches of a mosaic.  They lie along a Morton curve, under a tree of boxes, so that those in a box are found
/// in O(log) time.
class Patches {
public:
    explicit Patches(std::vector<Patch> patches);

    std::size_t number() const { return patches_.size(); }
    const Patch& operator[](std::size_t patch) const { return patches_[patch]; }

    /// visit(patch) for each patch that has cells of the box.
    template <class Visit>
    void each_in(int tile, const Box& cells, Visit visit) const
    {
        if (!levels_.empty()) descend(levels_.size() - 1, 0, levels_.back().size(), {tile, cells}, visit);
    }
    /// The patch that has the cell; -1 if none has.
    std::int64_t owner(int tile, const Index& cell) const;

    /// Throws base::Error (arg) if one of `count` patches from `begin` on shares cells with any other one.
    void require_apart(int d, std::size_t begin, std::size_t count) const;

private:
    /// Patches of several tiles: the boxes of all between them are somewhere in `cells`.
    struct Node {
        int first_tile;
        int last_tile;
        Box cells;
    };
    static constexpr std::size_t fan_out = 8;

    static bool meet(const Node& node, const Patch& wanted)
    {
        return node.first_tile <= wanted.tile && wanted.tile <= node.last_tile &&
               !common(node.cells, wanted.cells).is_empty();
    }
    template <class Visit>
    void descend(std::size_t level, std::size_t begin, std::size_t end, const Patch& wanted,
                 Visit& visit) const
    {
        for (std::size_t i = begin; i < end; ++i) {
            if (!meet(levels_[level][i], wanted)) continue;
            const std::size_t below = i * fan_out;
            if (level > 0) {
                descend(level - 1, below, std::min(below + fan_out, levels_[level - 1].size()), wanted,
                        visit);
                continue;
            }
            for (std::size_t n = below; n < std::min(below + fan_out, order_.size()); ++n) {
                const Patch& patch = patches_[order_[n]];
                if (patch.tile == wanted.tile && !common(patch.cells, wanted.cells).is_empty())
                    visit(order_[n]);
            }
        }
    }

    std::vector<Patch> patches_;
    std::vector<std::uint32_t> order_;      ///< patches along the curve
    std::vector<std::vector<Node>> levels_; ///< each node has fan_out of the level below, or of order_
};

/// Throws base::Error (arg) if one of the patches is empty, or leaves its tile.
void require_inside(const Tiles& tiles, std::span<const Patch> patches);

/// True if `a` comes before `b` along a Morton curve.  The numbers are not negative.
bool is_before_on_curve(const Index& a, const Index& b);

/// Divides tiles into boxes of at most `most` cells (0: any number) a dimension, along a Morton curve, tile by
/// tile, and deals them out so that parts have about as many cells each.  The patches of one part.
std::vector<Patch> divide(int d, const std::vector<Index>& sizes, const Index& most, int parts, int part);

} // namespace ortho::mosaic
