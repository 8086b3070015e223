// SPDX-License-Identifier: BSD-3-Clause
// The nodes of a communicator's processes, and the network between them.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "grid/nodes.hpp"
#include "mpi/comm.hpp"

namespace ortho::topology {

/// A number for this node, from its name.  Different nodes most likely have different numbers.
int processor_number();

/// Does this process know the nodes of all processes of MPI_COMM_WORLD, and are those of `comm` among them?
bool knows_nodes(MPI_Comm comm);

/// The way in which find_nodes() may find the nodes; the same on all processes.
enum class NodesBy : std::uint8_t {
    one_processor, ///< all processes have one processor_number()
    knowledge,     ///< knows_nodes() is true on all processes
    asking,        ///< MPI is asked
};

/// The nodes of the processes of `comm`, numbered by rank; null if all are on one node.  `wanted` is the
/// value of ORTHO_NODES, the same everywhere: sizes of nodes of consecutive processes of MPI_COMM_WORLD, for
/// trying another machine.  If it is empty, MPI tells which processes share memory.  Throws base::Error
/// (info), on all processes alike, for other values.  Collective.
std::shared_ptr<const grid::Nodes> find_nodes(MPI_Comm comm, const std::string& wanted, NodesBy by);

/// These nodes (null: one for all), and their parts that all processes know, from outside in.  Collective.
std::vector<grid::Nodes> find_levels(MPI_Comm comm, const grid::Nodes* nodes);

/// The kind (planner/tune.hpp) that earlier trials of this process found; nothing if there were none.
std::optional<int> found_network_kind() noexcept;

/// Sends a byte and 48 KiB to and fro between pairs of nodes, a few times, and returns the kind of the
/// fastest pair: disturbances make times longer, never shorter.  Takes up to some milliseconds over sockets.
/// Collective; the same result everywhere.
int try_network(const mpi::SetUpComms& comms, const grid::Nodes& nodes);

} // namespace ortho::topology
