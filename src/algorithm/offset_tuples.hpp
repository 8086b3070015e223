// SPDX-License-Identifier: BSD-3-Clause
// Numbers for equal parts of offsets.  No MPI in this file.
#pragma once

#include <span>
#include <vector>

#include "grid/stencil.hpp"

namespace ortho::algorithm {

/// For each offset the number of its tuple of coordinates in these dimensions.  Tuples that occur are
/// numbered in lexicographic order.  O(t log t).
struct OffsetTuples {
    std::vector<int> number; ///< of each offset
    int distinct = 0;
    int zero = -1; ///< the number of the tuple of zeros, if it occurs
};
OffsetTuples number_tuples(const grid::Stencil& offsets, std::span<const int> dimensions);

} // namespace ortho::algorithm
