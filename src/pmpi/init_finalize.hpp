// SPDX-License-Identifier: BSD-3-Clause
// The lifetime of the interposer, which begins with the first call that it sees.
#pragma once

#include <mpi.h>

#include "mpi/session.hpp"

namespace ortho::pmpi {

/// The key of the interposer's attributes of communicators, made at first use; MPI_KEYVAL_INVALID once MPI
/// ends.  The end is noticed in any language, since MPI_Finalize deletes the attributes of MPI_COMM_SELF.
int key();

/// Begins the interposer's life, if a report is wanted, so that there is one of a program without topologies.
/// Call it once MPI is running.
void begin_report();

/// Lets `action` be called before the report is printed: when MPI ends, or, in a program that never called
/// MPI_Init, when its last session ends.
void at_end(void (*action)());

/// A new communicator of this process alone, which returns its errors; MPI_COMM_NULL if none can be made.
MPI_Comm make_comm_alone();

/// MPI_COMM_SELF, or a communicator in its place in programs that never call MPI_Init.
MPI_Comm self();
/// The place of this process among all that were started together.
mpi::World world();

} // namespace ortho::pmpi
