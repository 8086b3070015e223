// SPDX-License-Identifier: BSD-3-Clause
// The graph that follows from a communicator's Cartesian name.
#pragma once

#include <mpi.h>

#include <memory>

#include "topology/graph.hpp"

namespace ortho::topology {

/// The attached graph of neighbors on the grid of an intra-communicator's name: all 3^d - 1 around a process,
/// or, if info ortho_regions says so, those along the axes.  Its communicator has only the processes of the
/// grid.  The first call for this name makes it, and the communicator keeps it.  Null on processes off the
/// grid.  Collective over comm.  Throws base::Error, on all processes: (topology) if comm has no name,
/// (mismatch) if processes have different names or want different neighbors, (info), (dims) for more than 59
/// 049 neighbors.  `argument` is the call's name for comm.
std::shared_ptr<Graph> graph_of_name(MPI_Comm comm, MPI_Info info, const char* argument);

} // namespace ortho::topology
