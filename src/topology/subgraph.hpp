// SPDX-License-Identifier: BSD-3-Clause
// The subgraph of some of a graph's processes.
#pragma once

#include <mpi.h>

#include <optional>

#include "grid/grid.hpp"
#include "mpi/comm.hpp"
#include "topology/graph.hpp"

namespace ortho::topology {

/// The grid that the processes of `part`, in their order, form within the grid of `whole` (grid_of); nothing
/// if they form none.  All of them are in `whole`.  Local.
std::optional<grid::Grid> subgrid_of(MPI_Comm whole, MPI_Comm part);

/// A communicator of the processes of `part`, in their order, that carries the induced subgraph of `graph`:
/// every edge between two of them, in the order of the lists, as often and with the same weight.  Gaps stay,
/// since they are slots and not edges.
///
/// The neighborhoods are isomorphic if they are so on the name of `part`, or, if it has none, on the sub-grid
/// that its processes form.  Collective over `part`; local in `graph`, which contains it.
mpi::Comm induced_subgraph(MPI_Comm graph, MPI_Comm part);

} // namespace ortho::topology
