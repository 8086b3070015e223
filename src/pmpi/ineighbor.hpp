// SPDX-License-Identifier: BSD-3-Clause
// Non-blocking neighborhood collectives: operations on the graph of the neighbors, if that is there.  A call
// that comes before the graph cannot make it, since it must not wait for others; such a call is one of MPI's.
#pragma once

#include <mpi.h>

#include <utility>

#include "pmpi/active_exchanges.hpp"
#include "pmpi/exchange_by_mpi.hpp"
#include "pmpi/proxy_request.hpp"

namespace ortho::pmpi {

/// Is MPI's own call made, of an alltoall?
inline bool leaves_exchange(const TopologyAttribute* carried, MPI_Comm comm)
{
    return carried == nullptr ||
           (graph_if_made(*carried, comm) == MPI_COMM_NULL && mpi_exchanges(*carried->neighbors));
}

/// `ours(neighbors, graph, &operation)` on a communicator that carries a topology; without a graph, `mpis()`
/// where that is right, or the exchange of the blocks that `describe(neighbors)` says.
template <class Ours, class Describe, class Mpis>
int begin_or_post(Counter& counter, MPI_Comm comm, MPI_Request* request, Ours ours,
                  bool (*is_right)(const Neighbors&), Describe describe, Mpis mpis) noexcept
{
    if (mode() == Mode::off) return mpis();
    return guarded(counter.function(), comm, [&] {
        TopologyAttribute* const carried = exchanged_on(comm);
        if (carried == nullptr) return mpis();
        MPI_Comm const graph = graph_if_made(*carried, comm);
        if (graph != MPI_COMM_NULL) return begin(counter, comm, *carried, graph, false, request, ours);
        const Neighbors& neighbors = *carried->neighbors;
        if (is_right(neighbors)) {
            counter.leave();
            return mpis();
        }
        const Counter::Timing timing(counter);
        auto exchange = carried->exchanges.find_or_make(comm, neighbors, describe(neighbors));
        const int code = exchange->start(comm, request);
        if (code == MPI_SUCCESS) keep_under_way(*request, std::move(exchange));
        return code;
    });
}

} // namespace ortho::pmpi
