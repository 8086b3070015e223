// SPDX-License-Identifier: BSD-3-Clause
// The Cartesian name of a communicator.
#pragma once

#include <mpi.h>

#include "grid/grid.hpp"

namespace ortho::topology {

/// The communicator's name, or null.  An MPI Cartesian topology is a name until it is unnamed.
const grid::Grid* find_name(MPI_Comm comm);

/// The communicator's name.  Throws base::Error (name) if it has none, (comm) if it is no
/// intra-communicator.
const grid::Grid& name_of(MPI_Comm comm, const char* argument = "cart");

/// The grid of an MPI Cartesian communicator, whatever its name is.
grid::Grid cartesian_topology(MPI_Comm comm);

/// Sets a name in place of an older one.
void set_name(MPI_Comm comm, grid::Grid name);

void remove_name(MPI_Comm comm);

} // namespace ortho::topology
