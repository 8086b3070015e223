// SPDX-License-Identifier: BSD-3-Clause
// Which processes of a communicator share a node.
#pragma once

#include <mpi.h>

#include <memory>
#include <string>
#include <vector>

#include "grid/nodes.hpp"

namespace ortho::topology {

/// A number for this node, by its name: different ones for different nodes, most likely.
int processor_number();

/// The nodes of the processes of `comm`, numbered by rank; null if all are on one.  `wanted` is the value of
/// ORTHO_NODES, the same everywhere: sizes of nodes of consecutive processes of MPI_COMM_WORLD, to try a
/// machine that is not there; if it is empty, MPI says who shares memory, unless all processes have one
/// processor_number(), as `one_processor` says.  Throws base::Error (info), on all processes alike, for other
/// values.  Collective.
std::shared_ptr<const grid::Nodes> find_nodes(MPI_Comm comm, const std::string& wanted, bool one_processor);

/// These nodes (null: one for all), and what is inside them where all processes know it, from outside in.
/// Collective.
std::vector<grid::Nodes> find_levels(MPI_Comm comm, const grid::Nodes* nodes);

} // namespace ortho::topology
