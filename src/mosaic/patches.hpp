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

/// All patches of a mosaic.  They lie along a Morton curve, under a tree of boxes, so that those in a box are
/// found in O(log) time.
class Patches {
public:
    explicit Patches(std::vector<Patch> patches);

    std::size_t number() const { return patches_.size(); }
    const Patch& operator[](std::size_t patch) const { return patches_[patch]; }

    /// visit(patch) for each patch that has cells of the box.
    template <class Visit>
    void each_in(int tile, const Box& cells, Visit visit) const
    {
        descend(levels_.size(), 0, size(levels_.size()), {tile, cells}, visit);
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

    // Level 0 are the patches along the curve.
    std::size_t size(std::size_t level) const
    {
        return level == 0 ? order_.size() : levels_[level - 1].size();
    }
    Node node(std::size_t level, std::size_t i) const
    {
        if (level > 0) return levels_[level - 1][i];
        const auto& [tile, cells] = patches_[order_[i]];
        return {tile, tile, cells};
    }
    template <class Visit>
    void descend(std::size_t level, std::size_t begin, std::size_t end, const Patch& wanted,
                 Visit& visit) const
    {
        for (std::size_t i = begin; i < end; ++i) {
            const auto [first_tile, last_tile, cells] = node(level, i);
            if (wanted.tile < first_tile || wanted.tile > last_tile || common(cells, wanted.cells).is_empty())
                continue;
            if (level == 0)
                visit(order_[i]);
            else
                descend(level - 1, i * fan_out, std::min((i + 1) * fan_out, size(level - 1)), wanted, visit);
        }
    }

    std::vector<Patch> patches_;
    std::vector<std::uint32_t> order_;      ///< patches along the curve
    std::vector<std::vector<Node>> levels_; ///< from level 1 on; each node has fan_out of the level below
};

/// Throws base::Error (arg) if one of the patches is empty, or leaves its tile.
void require_inside(const Tiles& tiles, std::span<const Patch> patches);

/// True if `a` comes before `b` along a Morton curve.  The numbers are not negative.
bool is_before_on_curve(const Index& a, const Index& b);

/// Divides tiles into boxes of at most `most` cells (0: any number) a dimension, along a Morton curve, tile
/// by tile, and deals them out so that parts have about as many cells each.  The patches of one part.
std::vector<Patch> divide(int d, const std::vector<Index>& sizes, const Index& most, int parts, int part);

} // namespace ortho::mosaic
