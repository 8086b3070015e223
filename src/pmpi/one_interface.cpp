// SPDX-License-Identifier: BSD-3-Clause
// ORTHO_PMPI=unify: parts of a communicator with a graph are subgraphs, and windows on it have fences of
// neighbors.

#include <mpi.h>

#include <mutex>
#include <utility>
#include <vector>

#include "mpiortho.h"
#include "pmpi/replace.hpp"
#include "pmpi/unify.hpp"

using namespace ortho;

namespace {

/// A call on a window, which knows by itself whether it is one on a graph.
template <class Ours, class Mpis>
int on_window(pmpi::Counter& counter, Ours ours, Mpis mpis)
{
    if (pmpi::mode() != pmpi::Mode::unify) return mpis();
    const pmpi::Named named(counter.function());
    return ours();
}

} // namespace

int ortho::pmpi::free_op(MPI_Op* op)
{
    static std::mutex mutex;
    static std::vector<MPI_Op> later;
    if (mode() != Mode::unify || op == nullptr) return PMPI_Op_free(op);
    const std::lock_guard lock(mutex);
    if (any_stands()) {
        later.push_back(std::exchange(*op, MPI_OP_NULL));
        return MPI_SUCCESS;
    }
    for (MPI_Op& one : later) PMPI_Op_free(&one);
    later.clear();
    return PMPI_Op_free(op);
}

// `parameters` of MPI's function, which is the library's on a communicator with a graph.
#define ORTHO_UNIFY(name, parameters, arguments)                                                             \
    int MPI_##name parameters                                                                                \
    {                                                                                                        \
        static pmpi::Counter counter("MPI_" #name);                                                          \
        return pmpi::unify(                                                                                  \
            counter, comm, [&](const pmpi::InterposedTopology&) { return ORTHO_##name arguments; },          \
            [&] { return PMPI_##name arguments; });                                                          \
    }
#define ORTHO_UNIFY_WINDOW(name, parameters, arguments)                                                      \
    int MPI_##name parameters                                                                                \
    {                                                                                                        \
        static pmpi::Counter counter("MPI_" #name);                                                          \
        return on_window(                                                                                    \
            counter, [&] { return ORTHO_##name arguments; }, [&] { return PMPI_##name arguments; });         \
    }

extern "C" {

ORTHO_UNIFY(Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm* made), (comm, color, key, made))
ORTHO_UNIFY(Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made),
            (comm, type, key, info, made))
ORTHO_UNIFY(Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm* made), (comm, group, made))
ORTHO_UNIFY(Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* made),
            (comm, group, tag, made))
ORTHO_UNIFY(Win_create, (void* base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, MPI_Win* win),
            (base, size, unit, info, comm, win))
ORTHO_UNIFY(Win_allocate, (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void* base, MPI_Win* win),
            (size, unit, info, comm, base, win))
ORTHO_UNIFY_WINDOW(Win_fence, (int assertion, MPI_Win win), (assertion, win))
ORTHO_UNIFY_WINDOW(Win_free, (MPI_Win * win), (win))

int MPI_Op_free(MPI_Op* op) { return pmpi::free_op(op); }

} // extern "C"
