// SPDX-License-Identifier: BSD-3-Clause
// Runs schedules symbolically and proves what they deliver.  No MPI in this file.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "grid/grid.hpp"
#include "grid/local_graph.hpp"
#include "schedule/schedule.hpp"

namespace ortho::schedule {

/// Where a block began: send slot `block` of process `process`.
struct Origin {
    int process;
    int block;

    auto operator<=>(const Origin&) const = default;
};

/// What a slot holds: the contributions it is made of, leftmost operand first.
using Value = std::vector<Origin>;

/// The processes and who is whose partner.
struct World {
    int processes = 0;
    /// The process that message out / in of a round of this process goes to / comes from,
    /// or grid::Grid::nowhere.
    std::function<int(int process, const Schedule&, const Round&)> target;
    std::function<int(int process, const Schedule&, const Round&)> source;
};

World world_of(const grid::Grid& grid);
World world_of(const std::vector<grid::LocalGraph>& graph);

/// What must hold when all processes are through.
struct Goal {
    /// receive[process][slot]: the value, or nothing if the slot must never be written.
    std::vector<std::vector<std::optional<Value>>> receive;
    /// Blocks of different index may differ in size, so that temp slots and messages must
    /// agree about which block they are for.  (Grid schedules only: on a graph, slots of
    /// one edge have different numbers at its two ends.)
    bool sizes_differ = false;
    /// Compare values as multisets: the operator commutes.
    bool commutative = false;
    /// Receive slots that hold something from the start: the origins (process, slot).  Where nothing else
    /// is wanted there, that must stay.
    std::vector<int> present = {};
};

/// Run one schedule a process (or one for all, if `schedules` has a single element) and
/// check them against the goal.  Checked on the way: messages match in number, order and
/// length; nobody waits for ever; no message goes to oneself, off the grid, or stays unread;
/// nothing unset is read; send slots are never written; within a phase nothing is written
/// that a message or another action reads or writes.  Schedule::parts count as what they are part of.
///
/// Result   nothing if all is well, else what is wrong, where.
std::optional<std::string> verify(const World& world, std::span<const Schedule> schedules, const Goal& goal);

} // namespace ortho::schedule
