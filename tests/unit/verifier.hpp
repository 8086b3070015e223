// SPDX-License-Identifier: BSD-3-Clause
// Runs schedules symbolically and proves their results.  No MPI in this file.
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

/// The first place of a block: send slot `block` of process `process`.
struct Origin {
    int process;
    int block;

    auto operator<=>(const Origin&) const = default;
};

/// The content of a slot: its contributions, leftmost operand first.
using Value = std::vector<Origin>;

/// The processes and their partners.
struct World {
    int processes = 0;
    /// The process that the message out of a round goes to, and the one that its message in comes from; or
    /// grid::Grid::nowhere.
    std::function<int(int process, const Schedule&, const Round&)> target;
    std::function<int(int process, const Schedule&, const Round&)> source;
};

World world_of(const grid::Grid& grid);
World world_of(const std::vector<grid::LocalGraph>& graph);

/// The required results when all processes have finished.
struct Goal {
    /// receive[process][slot]: the value, or nothing if the slot must never be written.
    std::vector<std::vector<std::optional<Value>>> receive;
    /// Blocks of different index may differ in size.  Then temp slots and messages must agree on the index of
    /// their block.  (Grid schedules only: on a graph the slots of one edge have different numbers at its two
    /// ends.)
    bool sizes_differ = false;
    /// Compare values as multisets: the operator commutes.
    bool commutative = false;
    /// Receive slots that hold something from the start: the origins (process, slot).  It must stay where
    /// `receive` wants nothing else.
    std::vector<int> present = {};
};

/// Runs one schedule for each process (or one for all, if `schedules` has a single element), and compares
/// with the goal.  Checks also that messages match in number, order and length; that nobody waits for ever;
/// that no message goes to its sender, goes off the grid or stays unread; that nothing unset is read; that
/// send slots are never written; and that within a phase nothing is written that a message or another action
/// reads or writes.  A slot of Schedule::parts counts as its whole.
///
/// Result   nothing if all is well, else the error and its place.
std::optional<std::string> verify(const World& world, std::span<const Schedule> schedules, const Goal& goal);

} // namespace ortho::schedule
