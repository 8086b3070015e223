// SPDX-License-Identifier: BSD-3-Clause
// Is an alltoall on a stencil of unit steps the halo exchange of one array?  What one process can say
// to that.  No MPI in this file.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "grid/halo.hpp"
#include "grid/neighborhood.hpp"
#include "grid/strided_box.hpp"

namespace ortho::grid {

/// What a process sends and receives for one canonical index of a neighborhood; nothing where it has no
/// such edge.
struct ExchangedBoxes {
    std::optional<StridedBox> sent;
    std::optional<StridedBox> received;
};

/// An array of which all boxes of a process are parts, just as its halo exchange has them.
struct FoundArray {
    static constexpr int unknown = -1;

    std::int64_t address = 0;          ///< of the first owned element
    std::int64_t element = 0;          ///< bytes of an element
    std::vector<int> nesting;          ///< the dimensions, that of the largest distances in memory first
    std::vector<std::int64_t> strides; ///< by dimension: bytes from one element to the next
    std::vector<int> lower;            ///< by dimension: ghost layers, or unknown if no box here tells
    std::vector<int> upper;
    std::vector<int> owned;
    /// By canonical index: the ghost region that is filled, all 0 if its boxes are empty; nothing if there is
    /// no edge.
    std::vector<std::optional<std::vector<int>>> regions;
};

/// Looks for the array.  `boxes` are normalized, and belong to the canonical indices of the neighborhood,
/// whose offsets are those of unit steps.  What is found is sure: each box received is a ghost region of the
/// array, each box sent the owned cells that a neighbor has in that region, no region has two boxes, and the
/// order of bytes is the same in both.  Whether all processes have found the same exchange is for them to
/// compare.
///
/// Elements need not be the user's: where the innermost dimension has no gaps it is measured in bytes.  Not
/// found: arrays in which a dimension never takes a second step in any box, unless it is the only one such;
/// boxes that fit several ghost regions; more than five dimensions.  A dimension without ghosts or gaps
/// counts as part of the one outside, whose depths then agree only if it is as long on all processes.  A
/// process that has one ghost region alone may take another array for it than the rest, if memory is not in
/// the grid's order.
std::optional<FoundArray> find_halo(const Neighborhood& neighborhood,
                                    const std::vector<ExchangedBoxes>& boxes);

} // namespace ortho::grid
