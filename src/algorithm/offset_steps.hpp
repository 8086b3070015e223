// SPDX-License-Identifier: BSD-3-Clause
// The steps that offsets are made of.  No MPI in this file.
#pragma once

#include <vector>

#include "algorithm/dimension_order.hpp"
#include "grid/neighborhood.hpp"

namespace ortho::algorithm {

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

} // namespace ortho::algorithm
