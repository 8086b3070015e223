// SPDX-License-Identifier: BSD-3-Clause
// The interposer's life, which begins with the first call that it looks at.
#pragma once

#include <mpi.h>

#include "mpi/session.hpp"

namespace ortho::pmpi {

/// The key of what the interposer keeps with communicators; made at first use, MPI_KEYVAL_INVALID once MPI
/// ends, whoever calls MPI_Finalize, from whatever language: MPI then deletes the attributes of
/// MPI_COMM_SELF.
int key();

/// Called as MPI ends, or the program's last session if it never called MPI_Init, before the report is
/// printed.
void at_end(void (*action)());

/// A new communicator of this process alone, which returns its errors; MPI_COMM_NULL if there can be none.
MPI_Comm make_comm_alone();

/// MPI_COMM_SELF, or what stands in for it in programs that never call MPI_Init.
MPI_Comm self();
/// This process among all that were started together.
mpi::World world();

} // namespace ortho::pmpi
