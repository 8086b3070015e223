// SPDX-License-Identifier: BSD-3-Clause
// A trial with a few messages that finds the kind of the network between nodes.
#pragma once

#include <mpi.h>

#include <optional>

#include "grid/nodes.hpp"
#include "mpi/comm.hpp"

namespace ortho::topology {

/// The kind (planner/network_kind.hpp) that earlier trials of this process found; nothing if there were none.
std::optional<int> found_network_kind() noexcept;

/// Sends a byte and 48 KiB to and fro between pairs of nodes, a few times, and returns the kind of the
/// fastest pair: disturbances make times longer, never shorter.  Takes up to some milliseconds over sockets.
/// Collective; the same result everywhere.
int try_network(const mpi::SetUpComms& comms, const grid::Nodes& nodes);

} // namespace ortho::topology
