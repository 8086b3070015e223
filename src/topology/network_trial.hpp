// SPDX-License-Identifier: BSD-3-Clause
// A few messages between nodes, to see what kind of network lies between them.
#pragma once

#include <mpi.h>

#include <optional>

#include "grid/nodes.hpp"
#include "mpi/comm.hpp"

namespace ortho::topology {

/// The kind (planner/network_kind.hpp) that a trial of this process found; nothing before the first one.
std::optional<int> found_network_kind() noexcept;

/// Sends a byte and 48 KiB to and fro between pairs of nodes, a few times, and returns what the fastest pair
/// says: disturbances make times longer, never shorter.  Takes up to some milliseconds over sockets.
/// Collective; the same everywhere.
int try_network(const mpi::SetUpComms& comms, const grid::Nodes& nodes);

} // namespace ortho::topology
