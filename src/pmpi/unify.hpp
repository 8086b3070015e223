// SPDX-License-Identifier: BSD-3-Clause
// ORTHO_PMPI=unify: MPI's collectives mean the neighborhood on a communicator with a graph.
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

} // namespace ortho::pmpi
