// SPDX-License-Identifier: BSD-3-Clause
// Which dimensions to cross together, and in which order.  No MPI in this file.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "algorithm/call_specification.hpp"
#include "algorithm/dimension_order.hpp"
#include "algorithm/offset_tuples.hpp"
#include "grid/neighborhood.hpp"
#include "schedule/work.hpp"

namespace ortho::algorithm {

struct Pricing;

/// What it takes a combining algorithm to cross any group of dimensions after any others.  Equal
/// everywhere, since it is counted from the stencil alone, as on a torus; with borders it is what a
/// process in the middle does, if there is one.
///
/// Between one group of all dimensions, which is a direct exchange, and one dimension a group, which
/// is the papers' combining, there is an algorithm for each ordered partition (541 for d = 5).  What
/// crossing a group costs depends only on the sets of dimensions in it and before it, so the cheapest
/// of them all is found step by step over these sets, without going through the partitions.
///
/// Counted at once where d <= 10 and 3^d * t <= 2^21, for alltoall 2^d * t (t = 8 630 for d = 5, 77 672 for d
/// = 3, and 65 536 and 262 144): O(3^d t log t).  Beyond, only one dimension at a time in one fixed order is
/// known: few distinct coordinates first for allgather, the other way round for reductions.
class DimensionGroups {
public:
    /// `collective`: alltoall, allgather, allreduce or reduce_scatter.  `nodes`: who is where, or null.
    DimensionGroups(const grid::Neighborhood& neighborhood, Collective collective,
                    std::shared_ptr<const grid::Nodes> nodes = nullptr);

    /// What a process far from all borders does to cross one group after the other.  Sizes of blocks are 1.
    std::vector<schedule::PhaseCounts> along(const Groups& groups) const;

    /// The cheapest groups, in order; of those of one dimension each only, if `one_by_one`.
    /// `cost`: of one crossing; sums of costs are compared.  Ties: the same everywhere.
    Groups cheapest(const std::function<std::int64_t(const schedule::PhaseCounts&)>& cost,
                    bool one_by_one) const;

private:
    using Set = std::uint32_t; // of dimensions, by bits

    std::pair<Set, Set> key(Set before, Set group) const;
    schedule::PhaseCounts count(const std::vector<int>& before, const std::vector<int>& group) const;
    /// `along`: what is sent along each step, in any unit.
    schedule::OffNode count_off_node(const OffsetTuples& steps, const std::vector<int>& group,
                                     const std::vector<std::int64_t>& along) const;

    grid::Neighborhood torus_;
    grid::Grid grid_; // as it is
    std::shared_ptr<const grid::Nodes> nodes_;
    std::int64_t looks_; // for what leaves nodes in one crossing
    Collective collective_;
    bool complete_;
    std::map<std::pair<Set, Set>, schedule::PhaseCounts> counted_; // if complete: by key
    Groups usual_;                                                 // if not
    std::vector<schedule::PhaseCounts> along_usual_;
};

/// The groups of one communicator, by collective, each counted when it is first asked for.
class KeptDimensionGroups {
public:
    /// `nodes`: who is where, or null.
    explicit KeptDimensionGroups(grid::Neighborhood neighborhood,
                                 std::shared_ptr<const grid::Nodes> nodes = nullptr);

    const DimensionGroups& of(Collective collective);

private:
    grid::Neighborhood neighborhood_;
    std::shared_ptr<const grid::Nodes> nodes_;
    std::map<Collective, DimensionGroups> kept_;
};

// What combining algorithms have in common.

/// The cheapest order of the dimensions, each in a group of its own.
std::vector<Groups> single_dimensions(const PlannerContext& context, const CallSpecification& specification,
                                      const Pricing& pricing);
/// The cheapest groups.
std::vector<Groups> any_groups(const PlannerContext& context, const CallSpecification& specification,
                               const Pricing& pricing);

inline constexpr const char* blocks_by_dimension = "sends blocks along the grid, one dimension after the "
                                                   "other, those that take the same step in one message";
inline constexpr const char* blocks_by_groups =
    "sends blocks along the grid, several dimensions at a time, those that take the same step in one message";
inline constexpr const char* results_by_dimension =
    "sends partial results along the grid, one dimension after the other, and reduces on the way";
inline constexpr const char* results_by_groups =
    "sends partial results along the grid, several dimensions at a time, and reduces on the way";

} // namespace ortho::algorithm
