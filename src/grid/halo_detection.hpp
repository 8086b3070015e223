// SPDX-License-Identifier: BSD-3-Clause
// Is an alltoall on a stencil of unit steps the halo exchange of one array?  The answer of one process.  No
// MPI in this file.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "grid/halo.hpp"
#include "grid/neighborhood.hpp"
#include "grid/strided_box.hpp"

namespace ortho::grid {

/// The box that a process sends and the box that it receives for one canonical index of a neighborhood;
/// nothing where the process has no such edge.
struct ExchangedBoxes {
    std::optional<StridedBox> sent;
    std::optional<StridedBox> received;
};

/// An array.  All boxes of a process are parts of it, as in the halo exchange of this array.
struct FoundArray {
    static constexpr int unknown = -1;

    std::int64_t address = 0;          ///< of the first owned element
    std::int64_t element = 0;          ///< bytes of an element
    std::vector<int> nesting;          ///< the dimensions, largest distance in memory first
    std::vector<std::int64_t> strides; ///< by dimension: bytes from one element to the next
    std::vector<int> lower;            ///< by dimension: ghost layers, or unknown if no box shows them
    std::vector<int> upper;
    std::vector<int> owned;
    /// By canonical index: the ghost region that is filled, all 0 for empty boxes; nothing without an edge.
    std::vector<std::optional<std::vector<int>>> regions;
};

/// Looks for the array.  `boxes` are normalized, and belong to the canonical indices of the neighborhood,
/// whose offsets are those of unit steps.  An array that is found is certain: each received box is a ghost
/// region of it, each sent box holds the owned cells that a neighbor has in that region, no region has two
/// boxes, and both have one order of bytes.  The caller compares the exchanges that the processes have found.
///
/// Elements need not be the user's: where the innermost dimension has no gaps, it is measured in bytes.  Some
/// arrays are not found: those in which two dimensions take only one step in each box; those whose boxes fit
/// several ghost regions; those with more than five dimensions.  A dimension without ghosts or gaps counts as
/// part of the next outer one; the depths of that one agree only if the inner one is as long on all
/// processes.  A process with a single ghost region may find another array than the others, if memory is not
/// in the grid's order.
std::optional<FoundArray> find_halo(const Neighborhood& neighborhood,
                                    const std::vector<ExchangedBoxes>& boxes);

} // namespace ortho::grid
