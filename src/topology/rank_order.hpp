// SPDX-License-Identifier: BSD-3-Clause
// Which process has which rank in a new communicator.
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
    std::string note;            ///< why, for ORTHO_Explain

    bool is_as_given() const;
};

/// Process i is rank i, for the first so many.
RankOrder as_given(int processes);

/// The order of the first grid.points() processes of a communicator that has few edges leave their nodes, and
/// what else there is in `levels` (find_levels of that communicator): point i of the grid is rank i
/// (placement/placement.hpp).
RankOrder place(std::vector<grid::Nodes> levels, const grid::Neighborhood& neighborhood,
                std::span<const std::int64_t> weights);

/// The same for offsets of any size and order on a grid, weighted as users do, or MPI_UNWEIGHTED, on the
/// processes of `comm`, whose nodes these are (null: one).  Collective.
RankOrder place(MPI_Comm comm, const grid::Nodes* nodes, const grid::Grid& grid, const grid::Stencil& targets,
                const int* weight = MPI_UNWEIGHTED);

/// A communicator of the processes of an order, in that order; none for others.  Its error handler is
/// `comm`'s.  Collective.
mpi::Comm in_order(MPI_Comm comm, const RankOrder& order);

/// Settings of a communicator for one made from it in another order.
Settings in_order(Settings settings, const RankOrder& order);

/// Gives the ranks of a graph that is about to be made to processes such that few edges leave their nodes, if
/// its neighborhoods are isomorphic on the name of `comm`.  New rank i has the edges that process i of `comm`
/// brought: the process that is rank i then has its lists in `graph_info`, and all that follows from them.
/// `wanted`: what all say of reorder.  Nothing if the order is to be left as it is.  Collective.
std::optional<RankOrder> reorder(MPI_Comm comm, bool wanted, GraphInfo& graph_info);

} // namespace ortho::topology
