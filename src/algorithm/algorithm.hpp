// SPDX-License-Identifier: BSD-3-Clause
// The description of an algorithm.  Each algorithm is one object in a file of its name.  No MPI in this file.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "algorithm/call_specification.hpp"
#include "algorithm/dimension_groups.hpp"
#include "algorithm/offset_steps.hpp"
#include "algorithm/why_not.hpp"
#include "grid/local_graph.hpp"
#include "schedule/machine.hpp"
#include "schedule/schedule.hpp"

namespace ortho::algorithm {

/// The means to find prices.
struct Pricing {
    const schedule::Machine& machine;
    KeptDimensionGroups& dimension_groups;
};

/// The meaning of a schedule's slots.
enum class Slots : std::uint8_t {
    edges,     ///< edges of the graph; if an operation has one block on a side, that is slot 0
    canonical, ///< canonical indices of the common stencil (grid/neighborhood.hpp)
    regions,   ///< regions of a halo: (region, field)
};

/// Collective questions to all processes of a communicator.
struct Agreement {
    int processes;
    /// The lists of all processes, one after the other, by rank.
    std::function<std::vector<long long>(const std::vector<long long>& mine)> gather;
};

/// An algorithm: the function that makes one process's schedule, and properties that others must know.  All
/// functions but `agree` are pure.
struct Algorithm {
    std::string_view name;
    Collective collective;
    /// Words for users that complete a sentence with "it".
    std::string_view does;
    Slots slots = Slots::edges;
    /// The algorithm has several phases of messages: a process that has started it must come back to it
    /// before others can end.
    bool forwards = false;
    /// The actions of a process depend on its place on its node: prices look at several processes of a node.
    bool depends_on_nodes = false;
    /// It crosses dimensions in several steps.  Where that saves no message it serves only calls that name
    /// it.
    bool splits = false;
    /// The algorithm has a phase for each round of messages.  Where messages that meet lose nothing it serves
    /// only calls that name it.
    bool in_rounds = false;
    /// Messages to other nodes do not travel one by one (algorithm/wires.hpp).
    bool by_wires = false;
    /// The reason that keeps it from serving this call, the same everywhere.  Null: it serves each call.
    WhyNot (*why_not)(const PlannerContext&, const CallSpecification&) = nullptr;
    /// The variants that are worth a price, the same everywhere.  Null: there is one.
    std::vector<Groups> (*variants)(const PlannerContext&, const CallSpecification&,
                                    const Pricing&) = nullptr;
    /// The agreement of all processes for `build` (CallSpecification::agreed), when a persistent operation is
    /// made.  Collective; nothing if the algorithm is not worth it, which is the same everywhere.  `bytes`
    /// are the sizes of the blocks of out-edges, 0 for gaps.  `named`: the user has named the algorithm.
    std::optional<Agreed> (*agree)(const PlannerContext&, const CallSpecification&,
                                   std::span<const std::int64_t> bytes, bool named,
                                   const Agreement&) = nullptr;
    /// The schedule of the process with these edges.
    schedule::Schedule (*build)(const PlannerContext&, const grid::LocalGraph&, const CallSpecification&,
                                const Groups&);
};

} // namespace ortho::algorithm
