// SPDX-License-Identifier: BSD-3-Clause
// A schedule for pictures: the messages of one process in each phase, and the places of its own blocks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "algorithm/offset_steps.hpp"
#include "plan/planned_call.hpp"

namespace plan {

/// A message that the process sends.
struct Message {
    std::vector<int> step; ///< to the partner
    int partner;
    int blocks;
};

/// The crossing of one group of dimensions.
struct Stage {
    std::vector<int> group;
    grid::Stencil steps; ///< of what goes to each target
    std::vector<Message> sent;
    int messages_in = 0;
    int blocks_in = 0;
    int resting = 0; ///< blocks that were received or made here until the stage is over, and go on later
};

/// The course of an operation, seen from one process.  A direct exchange is one stage.
struct Course {
    const Setting* setting;
    planner::Plan plan;
    int rank;
    ortho::algorithm::Groups groups; ///< the groups that are crossed
    std::vector<Stage> stages;       ///< one for each group
    /// The offsets from here to existing processes, the targets of its own blocks.
    grid::Stencil targets;

    const grid::Grid& grid() const { return setting->specification.grid; }
    /// True if one block goes to all targets; else each target has its own block.
    bool shares_one_block() const;
    bool reduces() const;
    /// The place of the block for `target` when the first `stages` are over, relative to this process.
    std::vector<int> position(int target, int stages) const;
    /// A text like "dimensions 0 1".
    std::string group_text(std::size_t stage) const;
    /// A text like "holds 4 blocks of others to send on later", for a stage that is not the last.
    std::string resting_text(std::size_t stage) const;
    /// A text like "process 5 at (1, 1)".
    std::string process_text() const;
};

/// The title of pictures: "4 messages do the work of 8".
std::string title_of(const Course& course);

/// The process that a round's message goes to.
int target_of(const Course& course, const ortho::schedule::Round& round);

Course make_course(const Setting& setting, planner::Plan plan, int rank);

/// A text like "(1, 0)".
std::string offset_text(const std::vector<int>& offset);

} // namespace plan
