// SPDX-License-Identifier: BSD-3-Clause
// ORTHO_NODES: each process has a node.
#include "grid/nodes.hpp"

#include "fuzz.hpp"

FUZZ(base::Error, text)
{
    const auto sizes = grid::parse_node_sizes(text);
    if (!sizes) return;
    demand(!sizes->empty());
    for (const int size : *sizes) demand(size > 0);
    constexpr int processes = 37;
    const grid::Nodes nodes = grid::Nodes::consecutive(processes, *sizes);
    for (int rank = 1; rank < processes; ++rank) {
        const int step = nodes.of(rank) - nodes.of(rank - 1);
        demand(step == 0 || step == 1);
    }
}
