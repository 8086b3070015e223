// SPDX-License-Identifier: BSD-3-Clause
// The order of the processes in a new communicator.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "grid/neighborhood.hpp"
#include "mpi/comm.hpp"
#include "topology/graph.hpp"

namespace ortho::topology {

/// The processes of a new communicator, in the order of its ranks.
struct RankOrder {
    std::vector<int> process_at; ///< new rank -> old rank
    std::string note;            ///< the reason, for ORTHO_Explain

    bool is_as_given() const;
};

/// The given order: process i is rank i, for this number of processes.
RankOrder as_given(int processes);

/// An order of a communicator's first grid.points() processes in which few edges leave their nodes and the
/// other `levels` (find_levels() of that communicator).  Point i of the grid is rank i
/// (placement/placement.hpp).
RankOrder place(std::vector<grid::Nodes> levels, const grid::Neighborhood& neighborhood,
                std::span<const std::int64_t> weights);

/// place() for offsets of any size and order on a grid, with the user's weights or MPI_UNWEIGHTED, on the
/// processes of `comm` and their nodes (null: one).  Collective.
RankOrder place(MPI_Comm comm, const grid::Nodes* nodes, const grid::Grid& grid, const grid::Stencil& targets,
                const int* weight = MPI_UNWEIGHTED);

/// A communicator of the processes of an order, in that order, with the error handler of `comm`; null for
/// other processes.  Collective.
mpi::Comm in_order(MPI_Comm comm, const RankOrder& order);

/// The settings of a communicator that is made from another one in another order.
Settings in_order(Settings settings, const RankOrder& order);

/// Reorders a graph that is about to be made, so that few edges leave their nodes; and the other levels, if
/// its neighborhoods are isomorphic on the name of `comm`.  New rank i gets the edges of process i of `comm`:
/// `graph_info` then has the lists of the process's new rank, and everything that follows from them.
/// `wanted` is the agreed value of reorder.  Returns nothing if the order stays.  Collective.
std::optional<RankOrder> reorder(MPI_Comm comm, bool wanted, GraphInfo& graph_info);

} // namespace ortho::topology
