// SPDX-License-Identifier: BSD-3-Clause
// The order in which offsets cross the dimensions, and the steps that they are made of.  No MPI in this file.
#pragma once

#include <span>
#include <vector>

#include "grid/neighborhood.hpp"
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

/// Each offset as a sum of steps, one for each group of dimensions.
///
/// A dimension that is in one group is crossed in one step, the coordinate.  A dimension that is in c groups
/// is crossed in c steps: the digits of the coordinate in a mixed radix, the low ones first.  So n
/// coordinates take about c times the c-th root of n distinct steps.  The radices are those with the fewest
/// distinct steps.
///
/// Without borders a step is a representative, and the sum of steps is the coordinate modulo the size.  With
/// borders the sum is the coordinate, and all of its steps have its sign.  So each point on the way is on the
/// grid if both ends are.
struct OffsetSteps {
    OffsetSteps(const grid::Neighborhood& neighborhood, const Groups& groups);

    grid::Stencil steps;                   ///< of each offset: a column for each dimension of each group
    std::vector<std::vector<int>> columns; ///< of each group
    std::vector<int> dimension;            ///< of each column
};

/// For several radices, the dimensions one by one, each as often as it has digits.  Only what saves steps is
/// there: nothing if no dimension can do with fewer.
std::vector<Groups> splits(const grid::Neighborhood& neighborhood);

/// For each offset the number of its tuple of coordinates in these dimensions.  Tuples that occur are
/// numbered in lexicographic order.  O(t log t).
struct OffsetTuples {
    std::vector<int> number; ///< of each offset
    int distinct = 0;
    int zero = -1; ///< the number of the tuple of zeros, if it occurs
};
OffsetTuples number_tuples(const grid::Stencil& offsets, std::span<const int> dimensions);

} // namespace ortho::algorithm
