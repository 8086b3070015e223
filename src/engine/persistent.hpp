// SPDX-License-Identifier: BSD-3-Clause
// What the processes of a communicator agree on when a persistent operation is made.
#pragma once

#include <mpi.h>

#include <functional>
#include <utility>

#include "engine/context.hpp"

namespace ortho::engine {

/// Checks a call's arguments, and describes it.
using Describe = std::function<Call()>;

/// The call, and what planning starts from: what info says (rank 0's list of algorithms, promises
/// that all make), and sizes, compared where that opens a choice.  If `describe` throws base::Error
/// on any process, all throw.  Collective; not to be called under the mutex.
std::pair<Call, Terms> agree_on_call(topology::Graph& graph, const Describe& describe, MPI_Info info);

/// A tag that is free on all processes.  Collective; not to be called under the mutex.
int agree_on_tag(topology::Graph& graph);

} // namespace ortho::engine
