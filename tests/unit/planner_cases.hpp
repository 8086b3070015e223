// SPDX-License-Identifier: BSD-3-Clause
// Problems for the planner's tests.
#pragma once

#include "planner/planner.hpp"

using namespace ortho::planner;
using namespace ortho::schedule;

namespace cases {

/// A context on one node.
inline PlannerContext with_offsets(const grid::Grid& grid, const grid::Stencil& offsets, int rank = 0)
{
    PlannerContext context;
    context.set_stencil({grid::canonical(grid, offsets).neighborhood, {}});
    context.graph = lists_at(*context.neighborhood, rank);
    context.layout.one_node = true;
    return context;
}

inline PlannerContext moore(const grid::Grid& grid, int rank = 0)
{
    return with_offsets(grid, all_of(grid.dimensions(), -1, 1), rank);
}

inline CallSpecification a_call(Collective collective, std::int64_t block_bytes)
{
    return {.collective = collective, .block_bytes = block_bytes};
}

inline PhaseCounts sum_of(const std::vector<PhaseCounts>& phases)
{
    PhaseCounts result;
    for (const auto& phase : phases) {
        result.messages += phase.messages;
        result.blocks += phase.blocks;
    }
    return result;
}

inline std::string chosen(Planner& planner, CallSpecification specification)
{
    return std::string(planner.plan(specification).algorithm->name);
}

inline const grid::Grid torus({5, 5, 5}, {1, 1, 1});

inline std::shared_ptr<const grid::Nodes> consecutive(int processes, const std::vector<int>& sizes)
{
    return std::make_shared<const grid::Nodes>(grid::Nodes::consecutive(processes, sizes));
}

} // namespace cases

using namespace cases;
