// SPDX-License-Identifier: BSD-3-Clause
// All algorithms: pure functions from what one process knows of its neighborhood to its
// schedule.  One file each, of the same name.  No MPI in this file.
#pragma once

#include <vector>

#include "grid/graph.hpp"
#include "grid/halo.hpp"
#include "grid/neighborhood.hpp"
#include "grid/nodes.hpp"
#include "schedule/schedule.hpp"

namespace ortho::algorithm {

// On any graph.  Slots are edges; an operation's only block on a side is slot 0.

schedule::Schedule barrier_direct(const grid::LocalGraph& graph);
schedule::Schedule bcast_direct(const grid::LocalGraph& graph, int root);
schedule::Schedule gather_direct(const grid::LocalGraph& graph, int root);
schedule::Schedule scatter_direct(const grid::LocalGraph& graph, int root);
schedule::Schedule allgather_direct(const grid::LocalGraph& graph);
schedule::Schedule alltoall_direct(const grid::LocalGraph& graph);
/// In which round each message is: the one to the process at the end of an out-edge, or from that of an
/// in-edge; nothing is read of gaps and self-edges.
struct MessageRounds {
    std::vector<int> out;
    std::vector<int> in;
};
schedule::Schedule alltoall_ordered(const grid::LocalGraph& graph, const MessageRounds& rounds);
schedule::Schedule reduce_direct(const grid::LocalGraph& graph, int root, bool in_place);
schedule::Schedule allreduce_direct(const grid::LocalGraph& graph, bool in_place);
schedule::Schedule reduce_scatter_direct(const grid::LocalGraph& graph);

// On a grid whose processes have one stencil.  Slots are canonical indices.

/// The order in which blocks cross the dimensions, and which they cross in one message:
/// an ordered partition of 0..d-1.
using Groups = std::vector<std::vector<int>>;
/// Every dimension by itself, in order.
Groups one_by_one(int dimensions);
/// Every dimension by itself, those with few distinct non-zero coordinates first.
Groups by_distinct_coordinates(const grid::Neighborhood& neighborhood);

schedule::Schedule alltoall_combining(const grid::Neighborhood& neighborhood, int rank, const Groups& groups);
schedule::Schedule allgather_combining(const grid::Neighborhood& neighborhood, int rank,
                                       const Groups& groups);
schedule::Schedule alltoall_node_pairs(const grid::Neighborhood& neighborhood, const grid::Nodes& nodes,
                                       int rank);
schedule::Schedule allgather_node_pairs(const grid::Neighborhood& neighborhood, const grid::Nodes& nodes,
                                        int rank);
schedule::Schedule allreduce_combining(const grid::Neighborhood& neighborhood, int rank, const Groups& groups,
                                       bool in_place);
schedule::Schedule reduce_scatter_combining(const grid::Neighborhood& neighborhood, int rank,
                                            const Groups& groups);

// Ghost regions of arrays on a grid, and back.  Slots are (region, field).

schedule::Schedule halo_direct(const grid::Halo& halo, int rank);
schedule::Schedule halo_combining(const grid::Halo& halo, int rank);
schedule::Schedule halo_reduce_direct(const grid::Halo& halo, int rank);
schedule::Schedule halo_reduce_combining(const grid::Halo& halo, int rank);

} // namespace ortho::algorithm
