// SPDX-License-Identifier: BSD-3-Clause
// The launcher of another MPI.
#pragma once

namespace ortho::mpi {

/// A process that another MPI's launcher has started is alone in its MPI_COMM_WORLD, and would report
/// success. Warns where that is so.  While the library is running, in a program that has called MPI_Init.
void look_at_launcher();

} // namespace ortho::mpi
