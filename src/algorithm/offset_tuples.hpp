// SPDX-License-Identifier: BSD-3-Clause
// Numbering what offsets have in common.  No MPI in this file.
#pragma once

#include <span>
#include <vector>

#include "grid/stencil.hpp"

namespace ortho::algorithm {

/// For each offset, the number of its coordinates in these dimensions among all that occur, which are
/// numbered in lexicographic order.  O(t log t).
struct OffsetTuples {
    std::vector<int> number; ///< of each offset
    int distinct = 0;
    int zero = -1; ///< the number of the coordinates that are all zero, if they occur
};
OffsetTuples number_tuples(const grid::Stencil& offsets, std::span<const int> dimensions);

} // namespace ortho::algorithm
