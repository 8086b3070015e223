// SPDX-License-Identifier: BSD-3-Clause
// The library's life between MPI_Init and MPI_Finalize.
#pragma once

#include <functional>

namespace ortho::mpi {

/// Throws base::Error (other) before MPI_Init and after MPI_Finalize.  The first call hangs a
/// farewell on MPI_COMM_SELF, whose attributes MPI_Finalize deletes first of all.
void require_running();

/// Between MPI_Init and the farewell.  Destructors that free MPI objects ask first.
bool is_running() noexcept;

/// Have `action` called at the farewell, while MPI still works; the last added is the first called,
/// those that come `before_all` first.
void at_farewell(std::function<void()> action, bool before_all = false);

} // namespace ortho::mpi
