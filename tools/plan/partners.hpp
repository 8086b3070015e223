// SPDX-License-Identifier: BSD-3-Clause
// How many partners processes have on their node, and on others.
#pragma once

#include <cstdint>
#include <span>

#include "grid/neighborhood.hpp"

namespace plan {

namespace grid = ortho::grid;

/// The numbers of partners of processes: out-edges, without those to themselves.
struct Partners {
    struct Range {
        int min = 0;
        int max = 0;
        std::int64_t sum = 0; ///< over all processes
    };
    Range on_node;
    Range off_node;
};

/// If `missing_are_off_node`, an edge that leaves the grid counts as one to a partner on another node.
Partners count_partners(const grid::Neighborhood& neighborhood, std::span<const int> node_of,
                        bool missing_are_off_node);

} // namespace plan
