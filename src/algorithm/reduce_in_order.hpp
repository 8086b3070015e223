// SPDX-License-Identifier: BSD-3-Clause
// What the direct reductions have in common.  No MPI in this file.
#pragma once

#include <vector>

#include "grid/local_graph.hpp"
#include "schedule/builder.hpp"

namespace ortho::algorithm {

/// Receive one block from each in-neighbor, which counts once for each of its in-edges, and
/// reduce them into receive slot 0 in the order of the in-edges.  Send slot 0 is the
/// process's own contribution, should it be its own in-neighbor; if `in_place`, it is
/// receive slot 0 and is kept until all messages have left.
void receive_and_reduce(schedule::Builder& out, const grid::LocalGraph& graph, bool in_place);

/// The last edge of a list that is no gap, or -1.
int last_edge(const std::vector<int>& partners);

/// Reduce the values in the order of the in-edges into receive slot 0, at the end of the phase:
/// v0 op (v1 op (... op vn)), which is the in-edge order for operators that do not commute.
/// values[i] belongs to in-edge i; gaps have none.  The last value may lie in receive slot 0,
/// no other may.
void reduce_in_order(schedule::Builder& out, const std::vector<int>& sources,
                     const std::vector<schedule::Slot>& values);

} // namespace ortho::algorithm
