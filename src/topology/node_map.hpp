// SPDX-License-Identifier: BSD-3-Clause
// Which processes of a communicator share a node.
#pragma once

#include <mpi.h>

#include <memory>
#include <string>

#include "grid/nodes.hpp"

namespace ortho::topology {

/// The nodes of the processes of `comm`, numbered by rank; null if all are on one.  `wanted` is the value of ORTHO_NODES, the
/// same everywhere: sizes of nodes of consecutive processes of MPI_COMM_WORLD, to try a machine that is not there; if it
/// is empty, MPI says who shares memory.  Throws base::Error (info), on all processes alike, for other values.  Collective.
std::shared_ptr<const grid::Nodes> find_nodes(MPI_Comm comm, const std::string& wanted);

} // namespace ortho::topology
