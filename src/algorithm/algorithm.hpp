// SPDX-License-Identifier: BSD-3-Clause
// What an algorithm says of itself.  Each is one object in a file of its name.  No MPI in this file.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "algorithm/call_specification.hpp"
#include "algorithm/dimension_groups.hpp"
#include "algorithm/dimension_order.hpp"
#include "algorithm/why_not.hpp"
#include "grid/local_graph.hpp"
#include "schedule/machine.hpp"
#include "schedule/schedule.hpp"

namespace ortho::algorithm {

/// What prices are found by.
struct Pricing {
    const schedule::Machine& machine;
    KeptDimensionGroups& dimension_groups;
};

/// What the slots of a schedule are.
enum class Slots : std::uint8_t {
    edges,     ///< of the graph; an operation's only block on a side is slot 0
    canonical, ///< canonical indices of the common stencil (grid/neighborhood.hpp)
    regions,   ///< of a halo: (region, field)
};

/// All processes of a communicator, asked something by each of them.
class Agreement {
public:
    Agreement() = default;
    Agreement(const Agreement&) = delete;
    Agreement& operator=(const Agreement&) = delete;
    virtual ~Agreement() = default;

    virtual int processes() const = 0;
    /// Each number becomes the largest that a process has in this place.
    virtual void maximize(std::span<long long> numbers) = 0;
    /// The lists of all processes, one after the other, by rank.
    virtual std::vector<long long> gather(std::span<const long long> mine) = 0;
};

/// An algorithm: how one process's schedule is made, and what others must know of it.  All functions but
/// `agree` are pure.
struct Algorithm {
    std::string_view name;
    Collective collective;
    /// What it does, for users: what stands behind "it".
    std::string_view does;
    Slots slots = Slots::edges;
    /// It has several phases of messages: a process that has started it must come back to it before others
    /// can end.
    bool forwards = false;
    /// What a process does depends on its place on its node: prices look at several of a node.
    bool depends_on_nodes = false;
    /// Messages to other nodes do not travel one by one (algorithm/wires.hpp).
    bool by_wires = false;
    /// What keeps it from serving this call, the same everywhere.  Null: nothing ever does.
    WhyNot (*why_not)(const PlannerContext&, const CallSpecification&) = nullptr;
    /// The ways that are worth a price, the same everywhere.  Null: there is one.
    std::vector<Groups> (*variants)(const PlannerContext&, const CallSpecification&,
                                    const Pricing&) = nullptr;
    /// What processes agree on when a persistent operation is made, for `build` (CallSpecification::agreed).
    /// Collective; nothing if the algorithm is not worth it, which is the same everywhere.
    /// `bytes`: of the block of each out-edge, 0 for gaps.  `named`: the user has named the algorithm.
    std::optional<std::vector<int>> (*agree)(const CallSpecification&, const grid::LocalGraph&,
                                             std::span<const std::int64_t> bytes, bool named,
                                             Agreement&) = nullptr;
    /// The schedule of the process whose edges these are.
    schedule::Schedule (*build)(const PlannerContext&, const grid::LocalGraph&, const CallSpecification&,
                                const Groups&);
};

} // namespace ortho::algorithm
