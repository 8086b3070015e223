// SPDX-License-Identifier: BSD-3-Clause
// Writing a schedule down, in order.  No MPI in this file.
#pragma once

#include <span>

#include "schedule/schedule.hpp"

namespace ortho::schedule {

inline constexpr Slot send_slot(int index) { return {Buffer::send, index}; }
inline constexpr Slot receive_slot(int index) { return {Buffer::receive, index}; }

/// Makes one Schedule.  Calls come in the order of the schedule: begin_phase, then its
/// rounds, each with its sends and receives, and its local actions anywhere in the phase.
class Builder {
public:
    /// A schedule whose rounds name graph edges.
    static Builder on_graph() { return Builder(Partners::graph_edges, 0); }
    /// A schedule whose rounds name steps on a grid.
    static Builder on_grid(int dimensions) { return Builder(Partners::grid_steps, dimensions); }

    void begin_phase();

    /// A round with the process one `step` ahead and the process one `step` behind.
    void begin_round(std::span<const int> step);
    /// A round along an out-edge and an in-edge; either may be `nobody`.
    void begin_round(int out_edge, int in_edge);

    /// Appends this block to the message out of the current round.
    void send(Slot block);
    /// The next block of the message in of the current round goes to this place.
    void receive(Slot place);

    /// Copies that need none of the phase's messages, and copies after all of them.
    void copy_meanwhile(Slot from, Slot to);
    void copy_afterwards(Slot from, Slot to);
    /// to = from (op) to
    void reduce_afterwards(Slot from, Slot to);

    /// A new temporary slot, of the size of block `block`.
    Slot new_temp(int block);

    /// Declares that the block of a slot is part of another slot's block.  At any time.
    void part(Slot part, Slot whole);

    /// The schedule.  On grids, sides of rounds without blocks are dropped, since both ends know that the
    /// message is empty; on graphs an empty message is a message.
    Schedule finish() &&;

private:
    Builder(Partners partners, int dimensions);
    void end_phase();

    Schedule schedule_;
    std::vector<Slot> sends_, receives_;         // of the current round
    std::vector<Action> meanwhile_, afterwards_; // of the current phase
    Round round_;
    int begun_phases_ = 0;
    bool in_phase_ = false;
    bool in_round_ = false;
    void end_round();
};

} // namespace ortho::schedule
