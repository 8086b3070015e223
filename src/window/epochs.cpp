// SPDX-License-Identifier: BSD-3-Clause
// The public calls that open and close epochs, and complete operations: fences, locks, flushes.

#include "mpi/error_handling.hpp"
#include "mpiortho.h"
#include "window/window.hpp"

namespace {

using namespace ortho;
using window::Window;

/// Calls `on_graph` for a window on a graph, and `on_mpi` for others.
template <class OnGraph, class OnMpi>
int synchronize(const char* function, MPI_Win win, OnGraph on_graph, OnMpi on_mpi)
{
    return mpi::guard_window(function, win, [&] {
        if (Window* const state = Window::find(win))
            on_graph(*state);
        else
            mpi::check_users(on_mpi());
    });
}

} // namespace

extern "C" {

int ORTHO_Win_fence(int assertion, MPI_Win win)
{
    return synchronize(
        "ORTHO_Win_fence", win, [&](Window& state) { state.fence(assertion); },
        [&] { return PMPI_Win_fence(assertion, win); });
}

int ORTHO_Win_lock(int lock_type, int rank, int assertion, MPI_Win win)
{
    return synchronize(
        "ORTHO_Win_lock", win, [&](Window& state) { state.lock(lock_type, rank, assertion); },
        [&] { return PMPI_Win_lock(lock_type, rank, assertion, win); });
}

int ORTHO_Win_unlock(int rank, MPI_Win win)
{
    return synchronize(
        "ORTHO_Win_unlock", win, [&](Window& state) { state.unlock(rank); },
        [&] { return PMPI_Win_unlock(rank, win); });
}

int ORTHO_Win_lock_all(int assertion, MPI_Win win)
{
    return synchronize(
        "ORTHO_Win_lock_all", win, [&](Window& state) { state.lock_all(assertion); },
        [&] { return PMPI_Win_lock_all(assertion, win); });
}

int ORTHO_Win_unlock_all(MPI_Win win)
{
    return synchronize(
        "ORTHO_Win_unlock_all", win, [](Window& state) { state.unlock_all(); },
        [&] { return PMPI_Win_unlock_all(win); });
}

int ORTHO_Win_flush(int rank, MPI_Win win)
{
    return synchronize(
        "ORTHO_Win_flush", win, [&](Window& state) { state.flush(rank, PMPI_Win_flush); },
        [&] { return PMPI_Win_flush(rank, win); });
}

int ORTHO_Win_flush_all(MPI_Win win)
{
    return synchronize(
        "ORTHO_Win_flush_all", win, [](Window& state) { state.flush_all(PMPI_Win_flush); },
        [&] { return PMPI_Win_flush_all(win); });
}

int ORTHO_Win_flush_local(int rank, MPI_Win win)
{
    return synchronize(
        "ORTHO_Win_flush_local", win, [&](Window& state) { state.flush(rank, PMPI_Win_flush_local); },
        [&] { return PMPI_Win_flush_local(rank, win); });
}

int ORTHO_Win_flush_local_all(MPI_Win win)
{
    return synchronize(
        "ORTHO_Win_flush_local_all", win, [](Window& state) { state.flush_all(PMPI_Win_flush_local); },
        [&] { return PMPI_Win_flush_local_all(win); });
}

int ORTHO_Win_sync(MPI_Win win)
{
    return mpi::guard_window("ORTHO_Win_sync", win, [&] {
        Window::find(win); // throws for MPI_WIN_NULL
        mpi::check_users(PMPI_Win_sync(win));
    });
}

} // extern "C"
