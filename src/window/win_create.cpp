// SPDX-License-Identifier: BSD-3-Clause
// The public calls that make and free windows.

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
void create(MPI_Comm comm, MPI_Info info, MPI_Win* win, Check check, Make make)
{
    mpi::require_comm(comm, "comm");
    const int topology = topology::topology_kind(comm);
    base::require(topology != ORTHO_INTER, base::ErrorKind::comm, "comm",
                  "comm is an inter-communicator, which has no windows");
    topology::check_and_meet(comm, [&] {
        topology::look_at_keys(info, topology::reads_nothing);
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

} // namespace

extern "C" {

int ORTHO_Win_create(void* base, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win* win)
{
    return mpi::guard("ORTHO_Win_create", comm, [&] {
        create(
            comm, info, win, [] {},
            [&](MPI_Win* made) { return PMPI_Win_create(base, size, disp_unit, info, comm, made); });
    });
}

int ORTHO_Win_allocate(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void* baseptr,
                       MPI_Win* win)
{
    return mpi::guard("ORTHO_Win_allocate", comm, [&] {
        create(
            comm, info, win, [&] { mpi::require_result(baseptr, "baseptr"); },
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

} // extern "C"
