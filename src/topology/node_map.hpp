// SPDX-License-Identifier: BSD-3-Clause
// Which processes of a communicator share a node.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "grid/nodes.hpp"

namespace ortho::topology {

/// A number for this node, by its name: different ones for different nodes, most likely.
int processor_number();

/// Does this process know the nodes of all processes of MPI_COMM_WORLD, and are those of `comm` among these?
bool knows_nodes(MPI_Comm comm);

/// How find_nodes may find out who shares memory; the same on all processes.
enum class NodesBy : std::uint8_t {
    one_processor, ///< all have one processor_number()
    knowledge,     ///< all know_nodes()
    asking,        ///< of MPI
};

/// The nodes of the processes of `comm`, numbered by rank; null if all are on one.  `wanted` is the value of
/// ORTHO_NODES, the same everywhere: sizes of nodes of consecutive processes of MPI_COMM_WORLD, to try a
/// machine that is not there; if it is empty, who shares memory is what MPI says.  Throws base::Error (info),
/// on all processes alike, for other values.  Collective.
std::shared_ptr<const grid::Nodes> find_nodes(MPI_Comm comm, const std::string& wanted, NodesBy by);

/// These nodes (null: one for all), and what is inside them where all processes know it, from outside in.
/// Collective.
std::vector<grid::Nodes> find_levels(MPI_Comm comm, const grid::Nodes* nodes);

} // namespace ortho::topology
