// SPDX-License-Identifier: BSD-3-Clause
// The public calls on windows: those that make and free them, those that open and close epochs and complete
// operations, and those that access the memory of other processes; on a graph, of out-neighbors.

#include <memory>

#include "mpi/error_handling.hpp"
#include "mpiortho.h"
#include "topology/agreed_settings.hpp"
#include "topology/agreement.hpp"
#include "topology/graph.hpp"
#include "window/window.hpp"

namespace {

using namespace ortho;
using window::Window;

/// Makes MPI's window on any communicator, with a state if that carries a graph; `check` checks the
/// arguments.  Collective.
template <class Check, class Make>
void create(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win* win, Check check, Make make)
{
    mpi::require_comm(comm, "comm");
    const int topology = topology::topology_kind(comm);
    base::require(topology != ORTHO_INTER, base::ErrorKind::comm, "comm",
                  "comm is an inter-communicator, which has no windows");
    topology::check_and_meet(comm, [&] {
        topology::look_at_keys(info, topology::reads_nothing);
        base::require(size >= 0, base::ErrorKind::arg, "size", "size = ", size, " is negative");
        base::require(disp_unit > 0, base::ErrorKind::arg, "disp_unit", "disp_unit = ", disp_unit,
                      " is not positive");
        check();
        mpi::require_result(win, "win");
    });
    std::unique_ptr<Window> state;
    if (topology == ORTHO_GRAPH) state = std::make_unique<Window>(topology::attached_graph(comm));
    MPI_Win made = MPI_WIN_NULL;
    mpi::check_users(make(&made));
    if (state) Window::attach(std::move(state), made);
    *win = made;
}

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

/// Makes MPI's call, if the process may access its target.
template <class OnMpi, class... Arguments>
int access(const char* function, int target, MPI_Win win, Window::By by, OnMpi on_mpi, Arguments... arguments)
{
    return mpi::guard_window(function, win, [&] {
        if (const Window* const state = Window::find(win)) state->require_access(target, by);
        mpi::check_users(on_mpi(arguments...));
    });
}

} // namespace

extern "C" {

int ORTHO_Win_create(void* base, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win* win)
{
    return mpi::guard("ORTHO_Win_create", comm, [&] {
        create(
            size, disp_unit, info, comm, win, [] {},
            [&](MPI_Win* made) { return PMPI_Win_create(base, size, disp_unit, info, comm, made); });
    });
}

int ORTHO_Win_allocate(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void* baseptr,
                       MPI_Win* win)
{
    return mpi::guard("ORTHO_Win_allocate", comm, [&] {
        create(
            size, disp_unit, info, comm, win, [&] { mpi::require_result(baseptr, "baseptr"); },
            [&](MPI_Win* made) { return PMPI_Win_allocate(size, disp_unit, info, comm, baseptr, made); });
    });
}

int ORTHO_Win_free(MPI_Win* win)
{
    return mpi::guard_window("ORTHO_Win_free", win != nullptr ? *win : MPI_WIN_NULL, [&] {
        mpi::require_result(win, "win");
        if (Window* const state = Window::find(*win)) state->end();
        mpi::check_users(PMPI_Win_free(win));
    });
}

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

int ORTHO_Put(const void* origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
              MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win)
{
    return access("ORTHO_Put", target_rank, win, Window::By::call, PMPI_Put, origin_addr, origin_count,
                  origin_datatype, target_rank, target_disp, target_count, target_datatype, win);
}

int ORTHO_Get(void* origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
              MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win)
{
    return access("ORTHO_Get", target_rank, win, Window::By::call, PMPI_Get, origin_addr, origin_count,
                  origin_datatype, target_rank, target_disp, target_count, target_datatype, win);
}

int ORTHO_Accumulate(const void* origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
                     MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Op op,
                     MPI_Win win)
{
    return access("ORTHO_Accumulate", target_rank, win, Window::By::call, PMPI_Accumulate, origin_addr,
                  origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, op,
                  win);
}

int ORTHO_Get_accumulate(const void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
                         void* result_addr, int result_count, MPI_Datatype result_datatype, int target_rank,
                         MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Op op,
                         MPI_Win win)
{
    return access("ORTHO_Get_accumulate", target_rank, win, Window::By::call, PMPI_Get_accumulate,
                  origin_addr, origin_count, origin_datatype, result_addr, result_count, result_datatype,
                  target_rank, target_disp, target_count, target_datatype, op, win);
}

int ORTHO_Fetch_and_op(const void* origin_addr, void* result_addr, MPI_Datatype datatype, int target_rank,
                       MPI_Aint target_disp, MPI_Op op, MPI_Win win)
{
    return access("ORTHO_Fetch_and_op", target_rank, win, Window::By::call, PMPI_Fetch_and_op, origin_addr,
                  result_addr, datatype, target_rank, target_disp, op, win);
}

int ORTHO_Compare_and_swap(const void* origin_addr, const void* compare_addr, void* result_addr,
                           MPI_Datatype datatype, int target_rank, MPI_Aint target_disp, MPI_Win win)
{
    // Some MPIs' prototypes lack const.
    return access("ORTHO_Compare_and_swap", target_rank, win, Window::By::call, PMPI_Compare_and_swap,
                  const_cast<void*>(origin_addr), const_cast<void*>(compare_addr), result_addr, datatype,
                  target_rank, target_disp, win);
}

int ORTHO_Rput(const void* origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
               MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win,
               MPI_Request* request)
{
    return access("ORTHO_Rput", target_rank, win, Window::By::request, PMPI_Rput, origin_addr, origin_count,
                  origin_datatype, target_rank, target_disp, target_count, target_datatype, win, request);
}

int ORTHO_Rget(void* origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
               MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win,
               MPI_Request* request)
{
    return access("ORTHO_Rget", target_rank, win, Window::By::request, PMPI_Rget, origin_addr, origin_count,
                  origin_datatype, target_rank, target_disp, target_count, target_datatype, win, request);
}

int ORTHO_Raccumulate(const void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
                      int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype,
                      MPI_Op op, MPI_Win win, MPI_Request* request)
{
    return access("ORTHO_Raccumulate", target_rank, win, Window::By::request, PMPI_Raccumulate, origin_addr,
                  origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, op,
                  win, request);
}

int ORTHO_Rget_accumulate(const void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
                          void* result_addr, int result_count, MPI_Datatype result_datatype, int target_rank,
                          MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Op op,
                          MPI_Win win, MPI_Request* request)
{
    return access("ORTHO_Rget_accumulate", target_rank, win, Window::By::request, PMPI_Rget_accumulate,
                  origin_addr, origin_count, origin_datatype, result_addr, result_count, result_datatype,
                  target_rank, target_disp, target_count, target_datatype, op, win, request);
}

} // extern "C"
