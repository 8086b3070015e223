// SPDX-License-Identifier: BSD-3-Clause
// What all processes must say alike when a graph is made: asked where calls are verified.
#pragma once

#include <mpi.h>

#include <string>

#include "topology/graph.hpp"

namespace ortho::topology {

/// Throws base::Error (mismatch), on all processes, unless each edge is in the lists of both its ends, as
/// often and with the same weights; `title` is what the report calls the graph.  Collective; moves O(p)
/// numbers a process.
void require_symmetric_lists(MPI_Comm comm, const std::string& title, const GraphInfo& graph_info);

/// Throws base::Error (mismatch), on all processes, if the communicator is named on some of them only, or
/// with different grids.  Collective.
void require_same_name(MPI_Comm comm);

} // namespace ortho::topology
