// SPDX-License-Identifier: BSD-3-Clause
// The placement of processes on a grid, so that few edges leave their nodes.  No MPI in this file.
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
    std::string_view method;     ///< that found it: "as numbered", "gropp", …
    std::vector<int> process_at; ///< point of the grid -> process; each process 0 .. points-1 once
};

/// A placement that cuts no more weight than the given order, where process i is on point i, neither of the
/// busiest node nor of all.  It is a function of the arguments, so that all processes agree.  weights[i] is
/// the weight of each edge of offset i, not negative; without weights it is 1.  `levels` are the nodes and
/// their parts, from outside in: the first level says which processes share a node, the second one, say,
/// which ones share a socket.  Each level refines the one before, and has grid.points() processes.
///
/// On each node, processes with smaller numbers are on smaller points, unless an inner level says otherwise.
Placement place(const grid::Neighborhood& neighborhood, std::span<const std::int64_t> weights,
                std::span<const grid::Nodes> levels);

/// The answer of one method.
struct Proposal {
    std::string_view method;
    NodeOfPoint node_of; ///< empty if it has no answer
    std::string why_not; ///< the reason, if it has none
    EdgeCut cut;

    bool has_answer() const { return !node_of.empty(); }
};

/// The answers of the methods, "as numbered" first, then "gropp".  There is no other where all processes are
/// on one node, or each is on its own.
std::vector<Proposal> propose(const grid::Neighborhood& neighborhood, std::span<const std::int64_t> weights,
                              const grid::Nodes& nodes);

/// The proposal that place() takes: the first of the best of those that cut no more than the given order, of
/// the busiest node and of all, nor than Gropp's if that is one of them.
const Proposal& best_of(const std::vector<Proposal>& proposals);

/// The process on each point, if point i is on node node_of[i].  Processes of a node come in increasing
/// order.
std::vector<int> processes_on_points(const grid::Nodes& nodes, std::span<const int> node_of);

} // namespace ortho::placement
