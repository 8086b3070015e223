// SPDX-License-Identifier: BSD-3-Clause
// Running collectives on graphs: the three forms of a call.
#pragma once

#include <memory>

#include "engine/context.hpp"
#include "engine/persistent.hpp"
#include "engine/task.hpp"
#include "topology/graph.hpp"

namespace ortho::engine {

/// See to it that it is agreed how messages go on a node.  Do all processes share memory, on one?  Collective
/// the first time; not to be called under the mutex.
bool share_memory(topology::Graph& graph);

/// Start the call, wait until it is over, throw what went wrong.  The graph must be attached.
void run(const std::shared_ptr<topology::Graph>& graph, const Call& call);

/// Start the call that `describe` describes, which was made on the communicator `users`, and come back.
std::unique_ptr<Task> start(MPI_Comm users, const std::shared_ptr<topology::Graph>& graph,
                            const Describe& describe);

} // namespace ortho::engine
