// SPDX-License-Identifier: BSD-3-Clause
// Non-blocking calls that are verified.
#pragma once

#include <mpi.h>

#include <memory>

#include "engine/persistent_agreement.hpp"
#include "request/task.hpp"
#include "topology/graph.hpp"

namespace ortho::verify {

/// Starts a call as engine::start() does.  Where calls are verified, tells the neighbors if `describe`
/// throws, or the call cannot be started.  `function` is the public one.
std::unique_ptr<request::Task> start(MPI_Comm user_comm, const std::shared_ptr<topology::Graph>& graph,
                                     const char* function, const engine::Describe& describe,
                                     const engine::ListArguments& list);

} // namespace ortho::verify
