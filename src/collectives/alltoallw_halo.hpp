// SPDX-License-Identifier: BSD-3-Clause
// Halo exchanges in the blocks of an alltoall.
#pragma once

#include <memory>

#include "engine/context.hpp"
#include "topology/graph.hpp"

namespace ortho::collectives {

/// Finds the halo exchange of one array that does the same as an alltoall.  Each block that is received is a
/// ghost region, each block that is sent goes to a neighbor's ghost region, and no other byte is moved.  Null
/// on all processes if they do not all find the same one, or if a corner is exchanged without the faces that
/// it could come with.
///
/// Source: J. L. Traff, S. Hunold: Cartesian Collective Communication, ICPP 2019, 3.4;
/// doi:10.1145/3337821.3337848.  Collective; one message to each neighbor, and one reduction.
std::shared_ptr<engine::Call> find_halo(topology::Graph& graph, const engine::Call& alltoall);

} // namespace ortho::collectives
