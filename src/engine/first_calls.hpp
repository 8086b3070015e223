// SPDX-License-Identifier: BSD-3-Clause
// The first exchanges on a graph, which are not planned: each block goes by a message of MPI's, until they
// have taken about as long as planning takes (doc/calls.md, Planning once).
//
// Both ends of a message must do the same.  They do: all processes compute the number of these exchanges from
// facts that all know, and make the collective calls on a communicator in the same order.
#pragma once

#include <memory>

#include "engine/task.hpp"
#include "topology/graph.hpp"

namespace ortho::engine {

struct Call;

/// How many exchanges on a new graph are not planned.  The number is the same on all processes.
int number_of_first_calls(const topology::Graph& graph);

/// Is this call one of these?  Then it counts as made.  All processes get the same answer.
bool take_first_call(topology::Graph& graph, const Call& call);

/// It is: makes it, waits until it is over, and throws what went wrong.
void run_unplanned(topology::Graph& graph, const Call& call);
/// Likewise, with a tag that all processes have taken, those blocks of a call that go along some edges: the
/// lists of the graph, with gaps for all other edges.
void run_unplanned(topology::Graph& graph, const Call& call, const grid::LocalGraph& lists, int tag);
/// Makes the call without waiting.
std::unique_ptr<Task> start_unplanned(const std::shared_ptr<topology::Graph>& graph, const Call& call);

} // namespace ortho::engine
