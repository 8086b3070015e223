// SPDX-License-Identifier: BSD-3-Clause
// ORTHO_PMPI=unify: MPI's collectives mean the neighborhood on a communicator with a graph.
// ORTHO_PMPI=dense: the library's exchanges between all processes, in place of MPI's.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

#include "pmpi/proxy_request.hpp"

namespace ortho::pmpi {

/// The graph that a call means, or null.
inline InterposedTopology* graph_meant_by(MPI_Comm comm)
{
    if (mode() != Mode::unify) return nullptr;
    InterposedTopology* const attribute = attribute_of(comm);
    return attribute != nullptr && !attribute->is_grid ? attribute : nullptr;
}

/// A blocking call: `ours(neighbors)` on a graph, else `mpis()`.
template <class Ours, class Mpis>
int unify(Counter& counter, MPI_Comm comm, Ours ours, Mpis mpis)
{
    return guarded(counter.function(), comm, [&] {
        const InterposedTopology* const attribute = graph_meant_by(comm);
        if (attribute == nullptr) return mpis();
        const Counter::Timing timing(counter);
        const Named named(counter.function());
        return ours(*attribute);
    });
}

/// A non-blocking or persistent call: `ours(neighbors, &operation)` on a graph, else `mpis()`.
template <class Ours, class Mpis>
int unify_begin(Counter& counter, MPI_Comm comm, bool persistent, MPI_Request* request, Ours ours, Mpis mpis)
{
    return guarded(counter.function(), comm, [&] {
        const InterposedTopology* const attribute = graph_meant_by(comm);
        if (attribute == nullptr) return mpis();
        base::require(
            sees_requests(), base::ErrorKind::other, "ORTHO_PMPI",
            "the program has calls on requests of its own, so that ORTHO_PMPI=unify serves blocking "
            "calls alone");
        return begin(counter, comm, *attribute, persistent, request, [&](ORTHO_Request* operation) {
            const Named named(counter.function());
            return ours(*attribute, operation);
        });
    });
}

/// Frees an operator in place of MPI's call: later if requests are taken, whose operations may use it.
/// Operators keep no attributes, and cannot be copied.
int free_op(MPI_Op* op);

/// How many blocks a w call sends and receives: those of the graph that it means, or one for each process.
/// None are sent in place, since those arrays must not be read then.
struct BlockNumbers {
    BlockNumbers(MPI_Comm comm, const void* sendbuf);

    std::size_t sent;
    std::size_t received;
};

/// Displacements as MPI_Aint, which ORTHO_Alltoallw takes.
inline std::vector<MPI_Aint> widened(const int* displacements, std::size_t n)
{
    return displacements != nullptr ? std::vector<MPI_Aint>(displacements, displacements + n)
                                    : std::vector<MPI_Aint>();
}

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
