// SPDX-License-Identifier: BSD-3-Clause
// ORTHO_PROGRESS=thread: a thread that drives what is under way.
#pragma once

namespace ortho::runtime {

/// Starts it, once a process; it ends before MPI does.  Needs MPI_THREAD_MULTIPLE.
void start_progress_thread();

} // namespace ortho::runtime
