// SPDX-License-Identifier: BSD-3-Clause
// The schedule: the actions of one process in a collective operation.  No MPI in this file.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "grid/stencil.hpp"

namespace ortho::schedule {

/// The buffers that blocks lie in.
enum class Buffer : std::uint8_t { send, receive, temp };

/// A place for one block: block `index` of a buffer.  Send and receive slots are numbered by canonical index
/// (grid schedules) or by edge (graph schedules).  If a buffer has one block, as the sender's of an
/// allgather, it has slot 0 only.
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

/// At most one message out and one message in.  A message carries its blocks in the listed order, which is
/// the same at both ends.  If a side has no partner, it has no message.
///
/// Partners have no rank.  In a grid schedule `to` and `from` are indices into `steps`.  The message out goes
/// that step along; the message in comes from the process that is that step BEFORE this one.  In a graph
/// schedule `to` is an out-edge, `from` an in-edge; the partner is the process at its end.
struct Round {
    int to = nobody;
    int from = nobody;
    Range sends;    ///< of slots: the blocks of the message out
    Range receives; ///< of slots: the places of the blocks of the message in

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

/// The content of slot `part` lies within the content of slot `whole`: reading or writing the one is reading
/// or writing the other.
struct Part {
    Slot part;
    Slot whole; ///< itself no part

    bool operator==(const Part&) const = default;
};

/// Rounds that run at the same time, and local work during and after them.
struct Phase {
    Range rounds;
    Range meanwhile;  ///< of actions that neither wait for the phase's messages nor disturb them
    Range afterwards; ///< of actions, in order, once all messages of the phase are complete
    int number = 0;   ///< the same on all processes; a process leaves out phases in which it does nothing

    bool operator==(const Phase&) const = default;
};

/// How rounds name their partners.
enum class Partners : std::uint8_t { grid_steps, graph_edges };

/// The actions of one process, phase by phase.  This is plain data.  Algorithms make it with
/// schedule::Builder; the verifier, the cost model, the engine and the printer read it.
///
/// It names blocks, not bytes: one schedule serves alltoall, its v and its w form.
struct Schedule {
    Partners partners = Partners::graph_edges;
    grid::Stencil steps; ///< only of grid schedules
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
