// SPDX-License-Identifier: BSD-3-Clause
// The schedule: what one process does in a collective operation.  No MPI in this file.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "grid/stencil.hpp"

namespace ortho::schedule {

/// The buffers that blocks lie in.
enum class Buffer : std::uint8_t { send, receive, temp };

/// A place for one block: block `index` of a buffer.  Send and receive slots are numbered
/// by canonical index (grid schedules) or by edge (graph schedules); an operation that has
/// one block, such as the sender's of an allgather, has slot 0 only.
struct Slot {
    Buffer buffer;
    int index;

    auto operator<=>(const Slot&) const = default;
};

/// Half-open range of indices into one of the schedule's arrays.
struct Range {
    int begin = 0;
    int end = 0;

    int size() const { return end - begin; }
    bool operator==(const Range&) const = default;
};

/// No partner on this side of a round.
inline constexpr int nobody = -1;

/// At most one message out and one message in.  A message carries its blocks in the order
/// listed, the same on both sides; a round without a partner on a side has no message there.
///
/// Partners have no rank.  In a grid schedule `to` is an index into `steps`, and the message
/// goes that step along; `from` is one too, and the message comes from the process that is
/// that step BEFORE this one.  In a graph schedule `to` is an out-edge, `from` an in-edge;
/// the partner is the process at its end.
struct Round {
    int to = nobody;
    int from = nobody;
    Range sends;    ///< of slots: the blocks that leave
    Range receives; ///< of slots: where the arriving blocks are put

    bool operator==(const Round&) const = default;
};

/// A local step: to = from, or to = from (op) to.
struct Action {
    enum class Kind : std::uint8_t { copy, reduce };

    Kind kind;
    Slot from;
    Slot to;

    bool operator==(const Action&) const = default;
};

/// What slot `part` holds lies within what slot `whole` holds: to read or write the one is to read
/// or write the other.
struct Part {
    Slot part;
    Slot whole; ///< itself no part

    bool operator==(const Part&) const = default;
};

/// Rounds that run at once, and the local work beside and behind them.
struct Phase {
    Range rounds;
    Range meanwhile;  ///< of actions that neither wait for nor disturb the phase's messages
    Range afterwards; ///< of actions, in order, once all messages of the phase are through
    int number = 0;   ///< the same on all processes; phases in which a process does nothing are left out

    bool operator==(const Phase&) const = default;
};

/// How rounds name their partners.
enum class Partners : std::uint8_t { grid_steps, graph_edges };

/// What one process does, phase by phase: plain data, made by an algorithm through
/// schedule::Builder, read by the verifier, the cost model, the engine and the printer.
///
/// It names blocks, not bytes: one schedule serves alltoall, its v and its w form.
struct Schedule {
    Partners partners = Partners::graph_edges;
    grid::Stencil steps; ///< of grid schedules
    std::vector<Phase> phases;
    std::vector<Round> rounds;
    std::vector<Action> actions;
    std::vector<Slot> slots;
    std::vector<int> temp; ///< temp slot s has the size of block temp[s]
    std::vector<Part> parts;

    std::span<const Slot> sends(const Round& round) const { return part(slots, round.sends); }
    std::span<const Slot> receives(const Round& round) const { return part(slots, round.receives); }
    std::span<const Round> rounds_of(const Phase& phase) const { return part(rounds, phase.rounds); }
    std::span<const Action> meanwhile(const Phase& phase) const { return part(actions, phase.meanwhile); }
    std::span<const Action> afterwards(const Phase& phase) const { return part(actions, phase.afterwards); }

    bool operator==(const Schedule&) const = default;

private:
    template <class T>
    static std::span<const T> part(const std::vector<T>& all, Range range)
    {
        return std::span<const T>(all).subspan(static_cast<std::size_t>(range.begin),
                                               static_cast<std::size_t>(range.size()));
    }
};

} // namespace ortho::schedule
