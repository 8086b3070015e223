// SPDX-License-Identifier: BSD-3-Clause
// Halo exchanges in the blocks of an alltoall.
#pragma once

#include <memory>

#include "engine/context.hpp"
#include "topology/graph.hpp"

namespace ortho::collectives {

/// The halo exchange of one array that an alltoall is, if all processes find it to be the same one: then each
/// block received is a ghost region, each block sent what a neighbor has in it, and no byte else is moved.
/// Null on all processes if they do not, and where a corner is exchanged without the faces that it could come
/// with.
///
/// Source: J. L. Traff, S. Hunold: Cartesian Collective Communication, ICPP 2019, 3.4;
/// doi:10.1145/3337821.3337848.  Collective; one message to each neighbor, and one reduction.
std::shared_ptr<engine::Call> find_halo(topology::Graph& graph, const engine::Call& alltoall);

} // namespace ortho::collectives
