// SPDX-License-Identifier: BSD-3-Clause
// Explains in words which algorithm was chosen for a call, and why.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "call/call_text.hpp"
#include "engine/binding.hpp"
#include "planner/planner.hpp"
#include "topology/graph.hpp"

namespace ortho::engine {

/// How a call came to its schedule.
struct Decision {
    /// If anybody may ask.
    CallText call;
    std::string_view op; ///< in words, likewise; empty if there is none
    std::shared_ptr<const topology::GraphInfo> graph_info;
    planner::Plan plan;
};

/// Some lines of text: the call, the topology, the algorithm, and this process's part in it; then the other
/// algorithms, with predicted times, and why they were not taken.  `title` is the communicator's name there.
/// `by_run`: ORTHO_Run does the same by this plan, for which more algorithms could serve.
std::string explain(const std::string& title, const Decision& decision, const Binding& binding,
                    const planner::Plan* by_run = nullptr);

} // namespace ortho::engine
