// SPDX-License-Identifier: BSD-3-Clause
// Balls and shells of offsets around a process.  No MPI in this file.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ortho::grid {

enum class Metric : std::uint8_t { manhattan, chebyshev };

/// The offsets x with shadow <= |x| <= depth in a metric, within a box:
/// low[k] <= x[k] <= high[k].  Manhattan is the true L1 norm in any dimension, so the
/// ball of depth 2 in two dimensions has 13 points.  shadow, depth >= 0; low[k] <= 0 <= high[k].
struct Shell {
    Metric metric;
    int shadow;
    int depth;
    std::vector<int> low;
    std::vector<int> high;
};

/// The shell in `d` dimensions of a grid without borders.
Shell unbounded_shell(Metric metric, int shadow, int depth, int d);

/// The result of `count` for more offsets than an int can number.
inline constexpr std::int64_t too_many = -1;

/// The number of offsets of the shell, or `too_many`.
/// O(d * (extent of the box within the ball)) time, not O(number of offsets).
std::int64_t count(const Shell& shell);

/// Writes the offsets in lexicographic order, row by row, until `result` has no room for another row.
void list(const Shell& shell, std::span<int> result);

} // namespace ortho::grid
