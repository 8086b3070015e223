// SPDX-License-Identifier: BSD-3-Clause
// The interposer's life, which begins with the first call that it looks at.
#pragma once

#include <mpi.h>

namespace ortho::pmpi {

/// The key of what the interposer keeps with communicators; made at first use, MPI_KEYVAL_INVALID once MPI ends,
/// whoever calls MPI_Finalize, from whatever language: MPI then deletes the attributes of MPI_COMM_SELF.
int key();

/// Called as MPI ends, before the report is printed.
void at_end(void (*action)());

} // namespace ortho::pmpi
