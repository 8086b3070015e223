// SPDX-License-Identifier: BSD-3-Clause
// ORTHO_PMPI=dense: MPI's exchanges of everybody with everybody, by the library's.
#pragma once

#include <mpi.h>

#include "pmpi/unify.hpp"

namespace ortho::pmpi {

/// The communicator that the library's calls run on, of the same processes in the same order: `comm` itself,
/// or, of one that carries a graph, a communicator without it, made in the first call; that one returns its
/// errors.  Null where calls are MPI's: on an inter-communicator, and on none at all.  Returns a code; the
/// error is raised.  Collective.
int find_full_comm(MPI_Comm comm, MPI_Comm* full);

/// Is there something else than MPI's own call?
inline bool may_be_replaced(MPI_Comm comm) { return is_dense() || graph_meant_by(comm) != nullptr; }

/// A blocking call of everybody with everybody: `ours(on)` on a communicator, else `mpis()`.  All processes
/// have MPI_IN_PLACE for `sendbuf`, or none.
template <class Ours, class Mpis>
int unify_or_dense(Counter& counter, MPI_Comm comm, const void* sendbuf, Ours ours, Mpis mpis) noexcept
{
    if (!replaces_collectives()) return mpis();
    if (!is_dense() || graph_meant_by(comm) != nullptr)
        return unify(
            counter, comm, [&](const Neighbors&) { return ours(comm); }, mpis);
    if (sendbuf == MPI_IN_PLACE) return mpis(); // so does the library, which would look at more first
    return guarded(counter.function(), comm, [&] {
        const Named named(counter.function());
        MPI_Comm full = MPI_COMM_NULL;
        if (const int code = find_full_comm(comm, &full); code != MPI_SUCCESS) return code;
        if (full == MPI_COMM_NULL) return mpis();
        const Counter::Timing timing(counter);
        const int code = ours(full);
        return code == MPI_SUCCESS || full == comm ? code : ortho_raise_again(counter.function(), comm, code);
    });
}

} // namespace ortho::pmpi
