// SPDX-License-Identifier: BSD-3-Clause
// Persistent collectives on graphs.
#pragma once

#include <mpi.h>

#include <memory>

#include "engine/persistent_agreement.hpp"
#include "request/task.hpp"
#include "topology/graph.hpp"

namespace ortho::engine {

/// The call that `describe` describes, to be started again and again.  Collective; the graph must be
/// attached.  If `describe` throws base::Error on any process, all throw.
std::unique_ptr<request::Task> prepare(const std::shared_ptr<topology::Graph>& graph,
                                       const Describe& describe, MPI_Info info);

} // namespace ortho::engine
