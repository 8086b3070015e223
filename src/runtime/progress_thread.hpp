// SPDX-License-Identifier: BSD-3-Clause
// ORTHO_PROGRESS=thread: a thread that drives operations.
#pragma once

namespace ortho::runtime {

/// Starts the thread, once in each process; it ends before MPI does.  Needs MPI_THREAD_MULTIPLE.
void start_progress_thread();

} // namespace ortho::runtime
