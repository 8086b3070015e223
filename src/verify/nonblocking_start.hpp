// SPDX-License-Identifier: BSD-3-Clause
// Non-blocking calls where calls are verified.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "engine/persistent_agreement.hpp"
#include "engine/task.hpp"
#include "topology/graph.hpp"

namespace ortho::verify {

/// As engine::start().  Where calls are verified, neighbors are told if `describe` throws, or the call cannot
/// be started.  `function`: the public one.  `arguments`: writes them down, where calls are not verified.
std::unique_ptr<engine::Task> start(MPI_Comm user_comm, const std::shared_ptr<topology::Graph>& graph,
                                    const char* function, const engine::Describe& describe,
                                    const std::function<std::vector<std::uint64_t>()>& arguments);

} // namespace ortho::verify
