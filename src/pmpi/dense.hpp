// SPDX-License-Identifier: BSD-3-Clause
// ORTHO_PMPI=dense: the library's exchanges between all processes, in place of MPI's.
#pragma once

#include <mpi.h>

#include "pmpi/unify.hpp"

namespace ortho::pmpi {

/// Finds the communicator for the library's calls, with the same processes in the same order.  Usually it is
/// `comm` itself.  For a communicator with a graph it is one without the graph, made in the first call, which
/// returns its errors.  Null if calls are MPI's: on an inter-communicator and on MPI_COMM_NULL.  Returns a
/// code, of an error that was raised.  Collective.
int find_full_comm(MPI_Comm comm, MPI_Comm* full);

/// May a call on this communicator be replaced?
inline bool may_be_replaced(MPI_Comm comm) { return is_dense() || graph_meant_by(comm) != nullptr; }

/// A blocking call between all processes: `ours(on)` on a communicator, else `mpis()`.  Either all processes
/// have MPI_IN_PLACE for `sendbuf`, or none.
template <class Ours, class Mpis>
int unify_or_dense(Counter& counter, MPI_Comm comm, const void* sendbuf, Ours ours, Mpis mpis)
{
    if (!replaces_collectives()) return mpis();
    if (!is_dense() || graph_meant_by(comm) != nullptr)
        return unify(
            counter, comm, [&](const InterposedTopology&) { return ours(comm); }, mpis);
    if (sendbuf == MPI_IN_PLACE) return mpis(); // the library does so, too, after more checks
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
