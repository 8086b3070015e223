// SPDX-License-Identifier: BSD-3-Clause
// The order in which blocks cross the dimensions.  No MPI in this file.
#pragma once

#include <vector>

#include "grid/stencil.hpp"

namespace ortho::algorithm {

/// The order in which blocks cross the dimensions, as an ordered partition of 0..d-1.  A block crosses the
/// dimensions of one part in one message.  A dimension that is in several parts is crossed in as many steps
/// (OffsetSteps).
using Groups = std::vector<std::vector<int>>;
/// Every dimension by itself, in order.
Groups one_by_one(int dimensions);
/// Every dimension by itself, those with few distinct non-zero coordinates first.
Groups by_distinct_coordinates(const grid::Stencil& offsets);

} // namespace ortho::algorithm
