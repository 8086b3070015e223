// SPDX-License-Identifier: BSD-3-Clause
// The way of blocks across the dimensions, group by group, seen from one process.  The combining algorithms
// share it.  No MPI in this file.
#pragma once

#include <vector>

#include "algorithm/offset_steps.hpp"
#include "base/index.hpp"
#include "grid/neighborhood.hpp"

namespace ortho::algorithm {

/// The places of the blocks of all offsets of a neighborhood on their way, relative to one process Q.  A
/// block crosses the groups of dimensions in order.  In group j it takes its step (OffsetSteps), unless that
/// is zero.
///
/// On a grid with borders a block exists only if its source and its target do.  Then every point on its way
/// exists too, since each of its coordinates lies between the source's and the target's.  So Q's coordinates
/// alone tell which blocks Q holds before and after each group; sender and receiver of a message find equal
/// lists.  Source: the rules and their proof are in doc/algorithms.md, "Combining on meshes".
class BlockRoute {
public:
    BlockRoute(const grid::Neighborhood& neighborhood, int rank, const Groups& groups);

    int groups() const { return static_cast<int>(along_.columns.size()); }

    /// All offsets, sorted by their steps in the first group, then in the second, and so on; `from_last`: in
    /// the last group first.
    std::vector<int> sorted(bool from_last) const;
    /// The offsets that take a step in group j.
    std::vector<int> moving(int j) const;

    /// True if offset i takes no step in group j.
    bool rests(int i, int j) const;
    /// True if offset i takes no step in any group after j.
    bool arrives(int i, int j) const { return last_group_[at(i)] <= j; }
    /// True if offset i is zero.
    bool stays(int i) const { return last_group_[at(i)] < 0; }

    /// Does the source exist of the block of offset i that is at Q when the groups before j are done?
    bool source_exists(int i, int j) const { return back_[at(i)] >= j; }
    /// For such a block: are its target and all later points on its way on the grid?
    bool target_exists(int i, int j) const { return ahead_[at(i)] <= j; }

    /// Compares the steps of offsets a and b in group j.
    std::strong_ordering compare_steps(int a, int b, int j) const;
    /// The step of offset i in group j, in all dimensions.
    std::vector<int> step(int i, int j) const;

private:
    int dimensions_;
    OffsetSteps along_;
    std::vector<int> last_group_; // the last group in which the offset takes a step, or -1
    std::vector<int> back_;       // the first group after which the source is off the grid
    std::vector<int> ahead_;      // the first group before which the target is on the grid
};

} // namespace ortho::algorithm
