// SPDX-License-Identifier: BSD-3-Clause
// The dimensions to cross together, and their order.  No MPI in this file.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "algorithm/call_specification.hpp"
#include "algorithm/offset_steps.hpp"
#include "grid/neighborhood.hpp"
#include "schedule/work.hpp"

namespace ortho::algorithm {

struct Pricing;

/// The work of a combining algorithm for crossing any group of dimensions after any others.  Equal
/// everywhere, since it is counted from the stencil alone, as on a torus.  With borders it is the work of a
/// process in the middle, if there is one.
///
/// The cheapest algorithm is found step by step over sets of dimensions, without going through their ordered
/// partitions (doc/planner.md, Groups of dimensions).  A dimension may be crossed in several steps
/// (OffsetSteps), each of which counts like a dimension.  They are counted where there are at most 10 steps,
/// and where the product of t and the number of pairs of sets is at most 2^18.
///
/// Counted at once where d <= 10 and 3^d * t <= 2^21, for alltoall 2^d * t (t = 8 630 for d = 5, 77 672 for d
/// = 3, and 65 536 and 262 144): O(3^d t log t).  Beyond, only one order of single dimensions is known: few
/// distinct coordinates first for allgather, the opposite order for reductions.
class DimensionGroups {
public:
    /// `collective`: alltoall, allgather, allreduce or reduce_scatter.  `nodes`: where processes are, or
    /// null.  `crossed`: the dimensions one by one, each once for each of its steps; empty if each has one.
    DimensionGroups(const grid::Neighborhood& neighborhood, Collective collective,
                    std::shared_ptr<const grid::Nodes> nodes = nullptr, const Groups& crossed = {});

    // Groups are of steps, numbered in the order of `crossed`: of dimensions, if each has one.

    /// The work of a process far from borders for crossing one group after the other.  Blocks have size 1.
    std::vector<schedule::PhaseCounts> along(const Groups& groups) const;

    /// The cheapest groups, in order; groups of one dimension each, if `one_by_one`.  `cost` is that of one
    /// crossing; sums of costs are compared.  Ties: the same everywhere.
    Groups cheapest(const std::function<std::int64_t(const schedule::PhaseCounts&)>& cost,
                    bool one_by_one) const;

    /// The dimensions whose steps these are; all steps of one, in a group, are one step.
    Groups dimensions_of(const Groups& groups) const;

private:
    using Set = std::uint32_t; // of steps, by bits

    bool may_follow(Set before, Set group) const;
    std::pair<Set, Set> key(Set before, Set group) const;
    schedule::PhaseCounts count(const std::vector<int>& before, const std::vector<int>& group) const;
    /// `along`: the amount sent along each step, in any unit.
    schedule::OffNode count_off_node(const OffsetTuples& steps, const std::vector<int>& group,
                                     const std::vector<std::int64_t>& along) const;

    OffsetSteps along_;
    grid::Grid grid_; // with its borders
    std::shared_ptr<const grid::Nodes> nodes_;
    std::int64_t looks_; // to count messages between nodes in one crossing
    Collective collective_;
    bool complete_ = false;
    std::vector<Set> steps_of_; // each dimension; if there are not too many
    std::map<std::pair<Set, Set>, schedule::PhaseCounts> counted_; // if complete: by key
    Groups usual_;                                                 // if not
};

/// The groups of one communicator, by collective; each is counted when somebody first asks for it.
class KeptDimensionGroups {
public:
    /// `nodes`: the node of each process, or null.
    explicit KeptDimensionGroups(grid::Neighborhood neighborhood,
                                 std::shared_ptr<const grid::Nodes> nodes = nullptr);

    const DimensionGroups& of(Collective collective);
    /// The groups of dimensions that are crossed in several steps, for several radices.  None if that saves
    /// no message.
    const std::vector<DimensionGroups>& split(Collective collective);
    /// Is there any?
    bool can_split() { return !splits().empty(); }

private:
    grid::Neighborhood neighborhood_;
    std::shared_ptr<const grid::Nodes> nodes_;
    const std::vector<Groups>& splits();

    std::map<Collective, DimensionGroups> kept_;
    std::optional<std::vector<Groups>> splits_; // once they are asked for
    std::map<Collective, std::vector<DimensionGroups>> kept_splits_;
};

// Functions that the combining algorithms share.

/// The cheapest order of the dimensions, each in a group of its own.
std::vector<Groups> single_dimensions(const PlannerContext& context, const CallSpecification& specification,
                                      const Pricing& pricing);
/// The cheapest groups.
std::vector<Groups> any_groups(const PlannerContext& context, const CallSpecification& specification,
                               const Pricing& pricing);
/// The cheapest groups of each radix in which dimensions have several steps.
std::vector<Groups> split_groups(const PlannerContext& context, const CallSpecification& specification,
                                 const Pricing& pricing);

inline constexpr const char* blocks_by_dimension = "sends blocks along the grid, one dimension after the "
                                                   "other, those that take the same step in one message";
inline constexpr const char* blocks_by_groups =
    "sends blocks along the grid, several dimensions at a time, those that take the same step in one message";
inline constexpr const char* blocks_by_digits = "sends blocks along the grid, dimensions in several steps "
                                                "like digits of a number, those that take the same "
                                                "step in one message";
inline constexpr const char* results_by_dimension =
    "sends partial results along the grid, one dimension after the other, and reduces on the way";
inline constexpr const char* results_by_groups =
    "sends partial results along the grid, several dimensions at a time, and reduces on the way";
inline constexpr const char* results_by_digits = "sends partial results along the grid, dimensions in "
                                                 "several steps like digits of a number, and reduces on "
                                                 "the way";

} // namespace ortho::algorithm
