// SPDX-License-Identifier: BSD-3-Clause
// Do all processes have the same stencil?  This is the arithmetic; topology/agreement.cpp communicates.  No
// MPI in this file.
#pragma once

#include <atomic>
#include <optional>
#include <span>
#include <vector>

#include "grid/local_graph.hpp"
#include "grid/neighborhood.hpp"

namespace ortho::grid {

/// Does each legal regular exchange over this neighborhood have one block size everywhere?
///
/// MPI makes sizes agree only along an edge: the send size of r and the receive size of each r+n.  A process
/// that forwards blocks must know sizes of blocks that it neither sends nor receives.  It may take its own
/// size for them only if edges connect all sizes and each process has at least one size that counts.
///
/// Result   True only if it is so.  Exact on tori (the differences of offsets generate the grid's group), and
///          where points * offsets <= exact_up_to (union-find over the edges).  Elsewhere true if the stencil
///          has a sufficient pattern that common stencils have.
/// Cost     O(t d^2 log) on tori, O(2^d t d) for the pattern.  Local; the same everywhere.
bool sizes_are_uniform(const Neighborhood& neighborhood);

/// Does each legal regular reduction over this neighborhood have one block size everywhere?  There each
/// process has one size for the blocks that it sends and for its result, so the stencil needs less.
bool reduction_sizes_are_uniform(const Neighborhood& neighborhood);

/// The parts of sizes_are_uniform(), for its tests.
namespace uniformity {

inline constexpr long long exact_up_to = 1LL << 20;

/// Exact, for tori.  With `reduction` the offsets themselves count, not only their differences.
bool differences_generate(const Neighborhood& neighborhood, bool reduction = false);
/// Exact, any grid: O(points * offsets).
bool one_component(const Neighborhood& neighborhood, bool reduction = false);
/// Sufficient, any grid.
bool has_connecting_pattern(const Neighborhood& neighborhood);
/// Sufficient for reductions on any grid: a step along each dimension.
bool has_unit_steps(const Neighborhood& neighborhood);

} // namespace uniformity

enum class Direction { out, in };

/// The offsets of the edges between `rank` and those `partners` that are no gaps, in list order: of the edges
/// r -> q for Direction::out, of q -> r for Direction::in.  The grid has dimensions.
Stencil edge_offsets(const Grid& grid, int rank, std::span<const int> partners, Direction direction);

/// The processes that together know the whole stencil, in increasing order: those with
/// coordinate 0 or size-1 in each dimension that has borders and more than one point, and
/// coordinate 0 in the others.  At most 2^(dimensions with borders); a torus has one.
std::vector<int> corners(const Grid& grid);

/// The stencil whose parts are the lists of the corners: each offset as often as it occurs in the list where
/// it occurs most often.
///
/// Each feasible offset of a common stencil is on the grid as seen from one of the corners.  So if there is a
/// common stencil, it is this one (proof: tests/unit, and doc/algorithms.md).
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

/// An answer that is found when it is asked for first.  Copies have the answer, too.
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

/// One stencil for all processes, and the facts that follow from it.
struct Isomorphism {
    /// On a torus `size_slots_` may be left out.
    Isomorphism(Neighborhood neighborhood_, Slots slots_, std::vector<int> size_slots_ = {});

    Neighborhood neighborhood;
    Slots slots;
    /// Canonical index -> a send slot that has the size of that block everywhere, if all processes give the
    /// same sizes for it.  Empty if some index has no slot here.
    std::vector<int> size_slots;

    // Do all processes have one block size in regular calls, and in reductions?
    bool regular_sizes_agree() const;
    bool reduction_sizes_agree() const;

private:
    FoundOnce regular_sizes_agree_{};
    FoundOnce reduction_sizes_agree_{};
};

/// The common stencil on a torus if all other processes have the same edges as this one.  Nothing if the
/// out-edges and the in-edges of this process are not of one stencil.  O(t log t).
std::optional<Isomorphism> as_of_one(const Grid& torus, const LocalGraph& graph);

} // namespace ortho::grid
