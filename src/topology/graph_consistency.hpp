// SPDX-License-Identifier: BSD-3-Clause
// Checks that all processes agree when a graph is made, for verified calls and to explain an error.
#pragma once

#include <mpi.h>

#include <string>

#include "topology/graph.hpp"

namespace ortho::topology {

/// Throws base::Error (mismatch), on all processes, unless each edge is in the lists of both its ends, as
/// often and with the same weights.  `title` is the graph's title in the report.  Collective; moves O(p)
/// numbers for each process.
void require_symmetric_lists(MPI_Comm comm, const std::string& title, const GraphInfo& graph_info);

/// Throws base::Error (mismatch), on all processes, if some of them have no name, or different names.
/// `name`: null if there is none; `argument`: the communicator.  Collective.
void require_same_name(MPI_Comm comm, const grid::Grid* name, const char* argument);

} // namespace ortho::topology
