// SPDX-License-Identifier: BSD-3-Clause
// The launcher of another MPI.
#pragma once

namespace ortho::mpi {

/// Warns if the launcher of another MPI has started this process: then it is alone in its MPI_COMM_WORLD, and
/// would report success.  Call it while the library is running, in a program that has called MPI_Init.
void look_at_launcher();

} // namespace ortho::mpi
