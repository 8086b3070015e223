// SPDX-License-Identifier: BSD-3-Clause
// The graph of a stencil on a grid.
#pragma once

#include "grid/grid.hpp"
#include "grid/stencil.hpp"
#include "topology/graph.hpp"

namespace ortho::topology {

/// The graph of a stencil.  Every process knows it by itself, since grid and stencil are the same everywhere.
/// Out-edge i leads along targets[i]; in-edge i comes from the process that this one is targets[i] away from.
/// `weight` has the weight of each offset, or is MPI_UNWEIGHTED.
GraphInfo grid_graph(const grid::Grid& grid, int rank, const grid::Stencil& targets, const int weight[]);

/// The neighbors of a process along the axes, in the order of MPI's neighborhood collectives: the one before
/// and the one behind in each dimension, for sources and targets.  Every process knows them by itself.
GraphInfo axis_graph(const grid::Grid& grid, int rank);

} // namespace ortho::topology
