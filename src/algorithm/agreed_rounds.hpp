// SPDX-License-Identifier: BSD-3-Clause
// Rounds for the messages of an alltoall that all processes know alike.  No MPI in this file.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "algorithm/algorithm.hpp"
#include "schedule/builder.hpp"

namespace ortho::algorithm {

/// The rounds of all messages (rounds_by_offset, or color_edges): for each out-edge and then for each in-edge
/// the round of the message to, or from, the process at its end; entries of gaps and self-edges are not read.
/// And the work of all processes in phases of rounds (PlannerContext::may_meet of them in each), and at once.
/// `bytes` of out-edges.  `most_messages` of a process, the same everywhere; nothing if all processes together
/// have too many.  Collective.
///
/// Source    T. Hoefler, J. L. Traff: Sparse Collective Operations for MPI, III-A, IV-D.
std::optional<Agreed> agree_on_rounds(const PlannerContext& context, std::span<const std::int64_t> bytes,
                                      std::int64_t most_messages, Agreement& agreement);

/// Algorithm::agree of algorithms with rounds.  Nothing if no message is heavy, or none is twice as heavy as
/// another and messages that meet lose nothing, and nobody has named the algorithm.
std::optional<Agreed> agree_if_heavy(const PlannerContext& context, const CallSpecification& specification,
                                     std::span<const std::int64_t> bytes, bool named, Agreement& agreement);

/// The rounds that are agreed on for a call, or follow from weights; null if there are none, and if those of a
/// common stencil will do.
const Agreed* known_rounds(const PlannerContext& context, const CallSpecification& specification);

/// The number of rounds in a phase.
inline int rounds_in_a_phase(const PlannerContext& context)
{
    return context.may_meet > 1 ? context.may_meet : 1;
}

inline constexpr int all_in_a_phase = 0;

/// Writes the messages of an alltoall by rounds, so many of them in a phase, and copies the blocks to oneself.
/// A phase has begun.  `numbers`: Agreed::numbers.
void write_rounds(schedule::Builder& out, const grid::LocalGraph& graph, const std::vector<int>& numbers,
                  int in_a_phase);

} // namespace ortho::algorithm
