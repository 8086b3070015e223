// SPDX-License-Identifier: BSD-3-Clause
// The graphs of grids: that of a stencil, and that which follows from a Cartesian name.
#pragma once

#include <mpi.h>

#include <memory>

#include "grid/grid.hpp"
#include "grid/stencil.hpp"
#include "topology/graph.hpp"

namespace ortho::topology {

/// The graph of a stencil.  Every process knows it by itself, since grid and stencil are the same everywhere.
/// Out-edge i leads along targets[i]; in-edge i comes from the process that this one is targets[i] away from.
/// `weight` has the weight of each offset, or is MPI_UNWEIGHTED.
GraphInfo grid_graph(const grid::Grid& grid, int rank, const grid::Stencil& targets, const int weight[]);

/// The neighbors of a process along the axes, in the order of MPI's neighborhood collectives: the one before
/// and the one behind in each dimension, for sources and targets.  Every process knows them by itself.
GraphInfo axis_graph(const grid::Grid& grid, int rank);

/// The attached graph of neighbors on the grid of an intra-communicator's name: all 3^d - 1 around a process,
/// or, if info ortho_regions says so, those along the axes.  Its communicator has only the processes of the
/// grid.  The first call for this name makes it, and the communicator keeps it.  Null on processes off the
/// grid.  Collective over comm.  Throws base::Error, on all processes: (topology) if comm has no name,
/// (mismatch) if processes have different names or want different neighbors, (info), (dims) for more than 59
/// 049 neighbors.  `argument` is the call's name for comm.
std::shared_ptr<Graph> graph_of_name(MPI_Comm comm, MPI_Info info, const char* argument);

} // namespace ortho::topology
