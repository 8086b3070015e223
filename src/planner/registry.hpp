// SPDX-License-Identifier: BSD-3-Clause
// The list of algorithms.  A new one is a file in algorithm/ and a line in registry.cpp.
// No MPI in this file.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "planner/counts.hpp"
#include "planner/machine.hpp"
#include "planner/problem.hpp"
#include "planner/why_not.hpp"
#include "schedule/schedule.hpp"

namespace ortho::planner {

/// How an algorithm would serve a call, and what that takes.
struct Choice {
    std::int64_t cost_ps = 0;
    /// For algorithms that cross the dimensions in groups.
    algorithm::Groups groups = {};
    /// What the cost is the price of; nothing where there is no choice to make.
    Work work = {};
};

/// What an algorithm is made for.
enum class Made : std::uint8_t {
    for_all,
    for_irregular_calls, ///< whose sizes may differ
    for_several_nodes,   ///< of which it is known who is where
};

/// An algorithm as the planner sees it.
struct Algorithm {
    std::string_view name;
    Collective collective;
    /// What it does, for users: what stands behind "it".
    std::string_view does;
    /// Its slots are canonical indices, not edges.
    bool canonical;
    /// It has several phases of messages: a process that has started it must come back to it
    /// before others can end.
    bool forwards;
    /// What keeps it from serving this call.  The same everywhere.
    WhyNot (*why_not)(const Situation&, const Problem&);
    /// Its cheapest way, the same everywhere.  The counts are those of isomorphic neighborhoods; elsewhere
    /// there are none, and nothing is predicted but whether it is better than the algorithms before it.
    Choice (*choose)(const Situation&, const Counts*, const Machine&, const Problem&);
    schedule::Schedule (*build)(const Situation&, const Problem&, const algorithm::Groups&);
    /// What it is made for: nobody need hear of it elsewhere, unless somebody names it.
    Made made = Made::for_all;
};

/// All of them.  Between equal costs the first in the list is taken.
std::span<const Algorithm> registry();

/// The algorithm of this name is there, and for this collective.
bool serves(std::string_view name, Collective collective);

/// Nothing in the registry has this name.
bool is_unknown(std::string_view name);

/// In the order of the registry.
std::vector<std::string_view> all_names();

} // namespace ortho::planner
