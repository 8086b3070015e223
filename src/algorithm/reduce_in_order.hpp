// SPDX-License-Identifier: BSD-3-Clause
// Functions that the direct reductions share.  No MPI in this file.
#pragma once

#include <vector>

#include "grid/local_graph.hpp"
#include "schedule/builder.hpp"

namespace ortho::algorithm {

/// Receives one block from each in-neighbor and reduces them into receive slot 0 in the order of the
/// in-edges.  A block counts once for each in-edge from its sender.  Send slot 0 is the process's own
/// contribution, if the process is its own in-neighbor.  If `in_place`, it is receive slot 0, and stays until
/// all messages have left.
void receive_and_reduce(schedule::Builder& out, const grid::LocalGraph& graph, bool in_place);

/// The last edge of a list that is no gap, or -1.
int last_edge(const std::vector<int>& partners);

/// Reduces the values into receive slot 0 at the end of the phase: v0 op (v1 op (... op vn)).  This is the
/// order of the in-edges, also for operators that do not commute.  values[i] belongs to in-edge i; gaps have
/// none.  Only the last value may lie in receive slot 0.
void reduce_in_order(schedule::Builder& out, const std::vector<int>& sources,
                     const std::vector<schedule::Slot>& values);

} // namespace ortho::algorithm
