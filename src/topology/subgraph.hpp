// SPDX-License-Identifier: BSD-3-Clause
// The graph that some of a graph's processes have among themselves.
#pragma once

#include <mpi.h>

#include <optional>

#include "grid/grid.hpp"
#include "mpi/comm.hpp"
#include "topology/graph.hpp"

namespace ortho::topology {

/// The grid that the processes of `part`, in their order, make of the one that those of `whole` are on
/// (grid_of); nothing if they make none.  All are in `whole`.  Local.
std::optional<grid::Grid> subgrid_of(MPI_Comm whole, MPI_Comm part);

/// A communicator of the processes of `part`, in their order, that carries the subgraph which they induce in
/// the graph that `graph` carries: every edge between two of them, in the order of the lists, as often and
/// with the weight that it has there.  Gaps stay, since they are slots and no edges.
///
/// The neighborhoods are isomorphic if they are on the name of `part`, if that has one; or else on the
/// sub-grid that its processes make.
/// Collective over `part`; local in `graph`, which all processes of `part` are in.
mpi::Comm induced_subgraph(MPI_Comm graph, MPI_Comm part);

} // namespace ortho::topology
