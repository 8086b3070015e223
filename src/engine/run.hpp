// SPDX-License-Identifier: BSD-3-Clause
// Running a collective on a graph.
#pragma once

#include <memory>

#include "engine/context.hpp"
#include "topology/graph.hpp"

namespace ortho::engine {

/// Start the call, wait until it is over, throw what went wrong.
void run(const std::shared_ptr<topology::Graph>& graph, const Call& call);

} // namespace ortho::engine
