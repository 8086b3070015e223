// SPDX-License-Identifier: BSD-3-Clause
// Which blocks a message brings, in words, for errors.
#pragma once

#include <memory>
#include <string>

#include "schedule/schedule.hpp"
#include "topology/graph.hpp"

namespace ortho::engine {

/// Describes the messages that a process receives, by a bound schedule and its graph.  Nothing is kept per
/// message: whoever asks has an error to report.
struct MessageContents {
    std::shared_ptr<const schedule::Schedule> schedule;
    std::shared_ptr<const topology::GraphInfo> graph_info;
    bool canonical_receive; ///< receive slots are canonical indices
    bool reduces;           ///< temp slots hold operands, not blocks on their way

    /// "slot 1", "slots 0, 3", "slot 1, and 2 blocks for other processes".  `block`: the only one of the
    /// round's blocks that it brings, or -1.
    std::string of_message(const schedule::Round& round, int block = -1) const;
    /// The contents of a slot that is written by a local step.
    std::string of_slot(schedule::Slot slot) const;
    /// The index of a receive slot in the user's list.
    int index_of(schedule::Slot slot) const;
};

/// The process that a round's message comes from.
int source_of(const schedule::Schedule& schedule, const topology::GraphInfo& graph_info,
              const schedule::Round& round);

} // namespace ortho::engine
