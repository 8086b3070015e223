// SPDX-License-Identifier: BSD-3-Clause
// The neighbors that a communicator's Cartesian name makes.
#pragma once

#include <mpi.h>

#include <memory>

#include "topology/graph.hpp"

namespace ortho::topology {

/// The graph that neighbors make on the grid that an intra-communicator is named with, attached: all 3^d - 1
/// around a process, or, if info ortho_regions says so, those along the axes.  Its communicator has the
/// processes of the grid alone.  It is made in the first call for this name, and kept with the communicator.
/// Null on processes that are not on the grid.  Collective over comm.
/// Throws base::Error, on all processes: (topology) if comm has no name, (mismatch) if processes have
/// different names or want different neighbors, (info), (dims) for more than 59 049 neighbors.  `argument`: what
/// the call calls comm.
std::shared_ptr<Graph> graph_of_name(MPI_Comm comm, MPI_Info info, const char* argument);

} // namespace ortho::topology
