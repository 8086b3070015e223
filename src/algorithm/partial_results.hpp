// SPDX-License-Identifier: BSD-3-Clause
// The partial results of a stencil reduction, each once.  No MPI in this file.
#pragma once

#include <compare>
#include <vector>

#include "algorithm/offset_steps.hpp"
#include "base/index.hpp"
#include "grid/neighborhood.hpp"

namespace ortho::algorithm {

/// A part of a partial result: a child, taken one step back in the group of dimensions, `times` times.
struct Part {
    int step;  ///< number of the step
    int child; ///< number of the partial result, one level down
    int times;

    auto operator<=>(const Part&) const = default;
};

/// A partial result of level j at a process reduces the contributions of a set of processes: those that lie
/// one of a set of offsets back in the first j groups of dimensions.  Level 0 has one: the process's own
/// contribution.  The last level has one: the result.  A partial result of level j+1 reduces parts of level
/// j, each one step back in group j:
///
///     R(r; N) = (+)_a R(r - a; N_a)
///
/// where N_a are the offsets with step a in group j, restricted to the groups before.  Equal N_a are one
/// partial result, whatever the step: this saves messages and work.
///
/// O(t d log t).  Source: design.md, "Combining reduction"; in none of the papers.
class PartialResults {
public:
    PartialResults(const grid::Neighborhood& neighborhood, const Groups& groups);

    int levels() const { return static_cast<int>(levels_.size()); }
    /// The partial results of level j+1, 0 <= j < levels(): the parts of each, by step.
    const std::vector<std::vector<Part>>& after(int j) const { return levels_[at(j)]; }
    /// The number of partial results of level j, 0 <= j <= levels().
    int count(int j) const { return j == 0 ? 1 : static_cast<int>(levels_[at(j - 1)].size()); }

    int steps(int j) const { return static_cast<int>(steps_[at(j)].size()); }
    /// A step of group j, in all dimensions.
    const std::vector<int>& step(int j, int number) const { return steps_[at(j)][at(number)]; }
    bool rests(int j, int number) const { return number == zero_[at(j)]; }

private:
    std::vector<std::vector<std::vector<Part>>> levels_;
    std::vector<std::vector<std::vector<int>>> steps_;
    std::vector<int> zero_;
};

} // namespace ortho::algorithm
