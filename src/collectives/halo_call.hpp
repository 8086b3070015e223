// SPDX-License-Identifier: BSD-3-Clause
// Halo exchanges as calls of the engine, and what processes must have in common for them.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <map>
#include <vector>

#include "collectives/halo_blocks.hpp"
#include "engine/context.hpp"
#include "grid/halo_geometry.hpp"
#include "grid/local_graph.hpp"

namespace ortho::collectives {

/// The layers that a process owns, by dimension.
std::vector<int> owned_extents(const grid::GhostedArray& shape);

/// The owned extents of all in-neighbors, by rank.  To be called by all processes.
std::map<int, std::vector<int>> extents_around(MPI_Comm private_comm, const grid::LocalGraph& lists,
                                               const std::vector<int>& mine);

/// Throws base::Error (arg, mismatch) unless this process's owned cells fit with what its neighbors' ghosts
/// need, and with theirs across faces.
void check_extents(const grid::Halo& halo, const grid::GhostedArray& shape, int rank,
                   const std::map<int, std::vector<int>>& extents);

/// The exchange, or its adjoint if there is an operator.  `bytes`: of each slot, (region, field), on the
/// process that has most.  Types of elements must live until the call is bound.
engine::Call halo_call(grid::Halo halo, Fields fields, std::vector<std::int64_t> bytes, MPI_Op op);

} // namespace ortho::collectives
