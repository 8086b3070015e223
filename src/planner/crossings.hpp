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

#include "algorithm/algorithms.hpp"
#include "algorithm/tuples.hpp"
#include "grid/neighborhood.hpp"
#include "planner/off_node.hpp"
#include "planner/problem.hpp"

namespace ortho::planner {

/// What a process far from all borders sends in a phase, such as to cross a group of dimensions.
struct Crossing {
    std::int64_t messages = 0;
    std::int64_t blocks = 0;
    OffNode off{}; ///< if it is known who is where

    bool operator==(const Crossing&) const = default;
};

/// Of blocks of different sizes, what is sent in a phase.
struct Bytes {
    std::int64_t all = 0;
    std::int64_t off = 0;  ///< that leave the node of the process that has most of them
    std::int64_t node = 0; ///< that leave a node
};

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
class Crossings {
public:
    /// `collective`: alltoall, allgather, allreduce or reduce_scatter.  `nodes`: who is where, or null.
    Crossings(const grid::Neighborhood& neighborhood, Collective collective,
              std::shared_ptr<const grid::Nodes> nodes = nullptr);

    /// What crossing one group takes, in order.
    std::vector<Crossing> along(const algorithm::Groups& groups) const;

    /// Of an alltoall whose blocks have these sizes, by canonical index: its bytes in crossing each of them.
    std::vector<Bytes> bytes_along(const algorithm::Groups& groups,
                                   std::span<const std::int64_t> sizes) const;

    /// The cheapest groups, in order; of those of one dimension each only, if `one_by_one`.
    /// `cost`: of one crossing; sums of costs are compared.  Ties: the same everywhere.
    algorithm::Groups cheapest(const std::function<std::int64_t(const Crossing&)>& cost,
                               bool one_by_one) const;

private:
    using Set = std::uint32_t; // of dimensions, by bits

    std::pair<Set, Set> key(Set before, Set group) const;
    Crossing count(const std::vector<int>& before, const std::vector<int>& group) const;
    /// `along`: what is sent along each step, in any unit.
    OffNode count_off_node(const algorithm::Tuples& steps, const std::vector<int>& group,
                           const std::vector<std::int64_t>& along) const;

    grid::Neighborhood torus_;
    grid::Grid grid_; // as it is
    std::shared_ptr<const grid::Nodes> nodes_;
    std::int64_t looks_; // for what leaves nodes in one crossing
    Collective collective_;
    bool complete_;
    std::map<std::pair<Set, Set>, Crossing> counted_; // if complete: by key
    algorithm::Groups usual_;                         // if not
    std::vector<Crossing> along_usual_;
};

} // namespace ortho::planner
