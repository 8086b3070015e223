// SPDX-License-Identifier: BSD-3-Clause
// The launcher of another MPI, or srun where it speaks to another.
#pragma once

namespace ortho::mpi {

/// Warns if the launcher of another MPI, or srun by a protocol of another MPI, has started several processes of
/// which each is alone in its MPI_COMM_WORLD: they would report success.  Call it while the library is running, in a program that has called MPI_Init.
void look_at_launcher();

} // namespace ortho::mpi
