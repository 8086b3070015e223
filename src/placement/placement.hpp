// SPDX-License-Identifier: BSD-3-Clause
// Which process to put where on a grid, so that few edges leave their nodes.  No MPI in this file.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "grid/neighborhood.hpp"
#include "grid/nodes.hpp"
#include "placement/edge_cut.hpp"

namespace ortho::placement {

/// Processes on the points of a grid.
struct Placement {
    std::string_view method;     ///< whose idea it was: "as numbered", "gropp", …
    std::vector<int> process_at; ///< point of the grid -> process; each process 0 .. points-1 once
};

/// A placement in which no more weight leaves nodes than in the order as given, where process i is on point
/// i, and on which all processes agree: a function of its arguments.  weights[i] is that of each edge of
/// offset i of `neighborhood.offsets`, not negative; without weights each weighs 1.  `levels` are the nodes,
/// and what there is inside them, from outside in, each a refinement of the one before: at the first they say
/// who shares a node, at the second, say, who shares a socket.  All have grid.points() processes.
///
/// On each node, processes with smaller numbers are on smaller points, unless an inner level says otherwise.
Placement place(const grid::Neighborhood& neighborhood, std::span<const std::int64_t> weights,
                std::span<const grid::Nodes> levels);

/// What one method has to say of where nodes should be.
struct Proposal {
    std::string_view method;
    NodeOfPoint node_of; ///< empty if it has no answer,
    std::string why_not; ///< for this reason
    EdgeCut cut;

    bool has_answer() const { return !node_of.empty(); }
};

/// The methods one after the other, "as numbered" first, then "gropp".  If not `all` are asked for, none
/// after one that cuts no more than must be.
std::vector<Proposal> propose(const grid::Neighborhood& neighborhood, std::span<const std::int64_t> weights,
                              const grid::Nodes& nodes, bool all);

/// The one that place() takes: of those that cut least the first.
const Proposal& best_of(const std::vector<Proposal>& proposals);

/// For nodes on points, `node_of[i]` on point i, the process on each point: those of a node in increasing
/// order.
std::vector<int> processes_on_points(const grid::Nodes& nodes, std::span<const int> node_of);

} // namespace ortho::placement
