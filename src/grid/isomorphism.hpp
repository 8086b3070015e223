// SPDX-License-Identifier: BSD-3-Clause
// Do all processes have the same stencil?  The arithmetic of the question; who tells
// whom is topology/agreement.cpp.  No MPI in this file.
#pragma once

#include <atomic>
#include <optional>
#include <span>
#include <vector>

#include "grid/local_graph.hpp"
#include "grid/neighborhood.hpp"

namespace ortho::grid {

enum class Direction { out, in };

/// The offsets of the edges between `rank` and the `partners` that are no gaps, in list
/// order: of r -> q for Direction::out, of q -> r for Direction::in.  The grid has dimensions.
Stencil edge_offsets(const Grid& grid, int rank, std::span<const int> partners, Direction direction);

/// The processes that together know the whole stencil, in increasing order: those with
/// coordinate 0 or size-1 in each dimension that has borders and more than one point, and
/// coordinate 0 in the others.  At most 2^(dimensions with borders); a torus has one.
std::vector<int> corners(const Grid& grid);

/// The stencil of which the lists of the corners are parts: each offset as often as it
/// occurs in the list where it occurs most often.
///
/// Whatever feasible offset N has, it is on the grid as seen from one of the corners, so
/// that a common stencil, if there is one, is exactly this (proof: tests/unit, and
/// doc/algorithms.md).
Neighborhood merge_corners(const Grid& grid, const std::vector<Stencil>& lists);

/// Where the canonical indices of a neighborhood lie in the lists of one process.
struct Slots {
    std::vector<int> send;    ///< canonical index -> index in targets, or gap
    std::vector<int> receive; ///< canonical index -> index in sources, or gap
};

/// The slots of process graph.rank if its lists are the neighborhood filtered by the
/// borders, both ways and as multisets; nothing otherwise.  Equal offsets are numbered in
/// list order on both sides, which is MPI's pairing of multi-edges.  O(t log t).
std::optional<Slots> match(const Neighborhood& neighborhood, const LocalGraph& graph);

/// What is found out once, when somebody asks first; copies know it, too.
class FoundOnce {
public:
    FoundOnce() = default;
    FoundOnce(const FoundOnce& other) : found_(other.found_.load()) {}
    FoundOnce& operator=(const FoundOnce& other)
    {
        found_ = other.found_.load();
        return *this;
    }

    template <class Find>
    bool value(Find find) const
    {
        signed char found = found_.load();
        if (found == not_yet) found_ = found = find() ? 1 : 0;
        return found != 0;
    }

private:
    static constexpr signed char not_yet = -1;
    mutable std::atomic<signed char> found_{not_yet};
};

/// One stencil for all processes, and what follows from it.  There is no other way to make one.
struct Isomorphism {
    /// `size_slots_`: as below; on a torus it may be left out.
    Isomorphism(Neighborhood neighborhood_, Slots slots_, std::vector<int> size_slots_ = {});

    Neighborhood neighborhood;
    Slots slots;
    /// Canonical index -> a send slot that has the size of that block everywhere, if all processes give the
    /// same sizes for it.  Empty if there are indices without a slot here.
    std::vector<int> size_slots;

    // In regular calls, and in regular reductions, all processes have one block size (grid/uniformity.hpp).
    bool regular_sizes_agree() const;
    bool reduction_sizes_agree() const;

private:
    FoundOnce regular_sizes_agree_{};
    FoundOnce reduction_sizes_agree_{};
};

/// What all processes have in common if the others have the same edges as this one, on a torus, where each of
/// them has the whole stencil; nothing if its out-edges and its in-edges are not of one stencil.  O(t log t).
std::optional<Isomorphism> as_of_one(const Grid& torus, const LocalGraph& graph);

} // namespace ortho::grid
