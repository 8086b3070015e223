// SPDX-License-Identifier: BSD-3-Clause
// The public calls that access the memory of other processes; on a graph, of out-neighbors.

#include "mpi/error_handling.hpp"
#include "mpiortho.h"
#include "window/window.hpp"

namespace {

using namespace ortho;
using window::Window;

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
