// SPDX-License-Identifier: BSD-3-Clause
// Requests of MPI's that stand for operations of ours.
//
// Such a request is a receive of an empty message from oneself, which is sent once the operation is over: so
// all of MPI's calls on requests understand it, alone and among others, and it may be persistent.  What is
// left to us is to drive the operation, and to start it again, when those calls come by.
#pragma once

#include <mpi.h>

#include <atomic>
#include <memory>
#include <vector>

#include "mpiortho.h"
#include "pmpi/replace.hpp"
#include "pmpi/topology_attribute.hpp"

namespace ortho::pmpi {

/// The call that an operation began with.
struct Caller {
    Counter* counter;
    MPI_Comm comm; ///< the user's
    bool raised;   ///< what goes wrong has gone to its handler already: it is the
                   ///< graph itself
    std::shared_ptr<const std::atomic<bool>> there; ///< is it still there?
};

/// Have `*request` stand for an operation that has been started, or, if it is persistent, has not.  Returns
/// MPI's code; if that is an error, the operation has been given back.
int make_proxy(ORTHO_Request operation, bool persistent, Caller caller, MPI_Request* request);

/// A call that begins an operation, by `ours(neighbors, graph, &operation)`.
template <class Ours>
int begin(Counter& counter, MPI_Comm comm, const TopologyAttribute& carried, MPI_Comm graph, bool persistent,
          MPI_Request* request, Ours ours)
{
    base::require(request != nullptr, base::ErrorKind::arg, "request", "request is a null pointer");
    const Counter::Timing timing(counter);
    ORTHO_Request operation = ORTHO_REQUEST_NULL;
    const int code = ours(*carried.neighbors, graph, &operation);
    if (code != MPI_SUCCESS) return graph == comm ? code : ortho_raise_again(counter.function(), comm, code);
    return make_proxy(operation, persistent, {&counter, comm, graph == comm, carried.there}, request);
}

/// `ours(neighbors, graph, &operation)` makes a persistent operation if the communicator carries a topology,
/// else `mpis()`.  That may wait for the other processes.
template <class Ours, class Mpis>
int prepare(Counter& counter, MPI_Comm comm, MPI_Request* request, Ours ours, Mpis mpis) noexcept
{
    if (mode() == Mode::off) return mpis();
    return guarded(counter.function(), comm, [&] {
        TopologyAttribute* const carried = exchanged_on(comm);
        if (carried == nullptr) return mpis();
        MPI_Comm const graph = graph_of(*carried, comm);
        if (graph == MPI_COMM_NULL) return MPI_ERR_OTHER;
        return begin(counter, comm, *carried, graph, true, request, ours);
    });
}

/// A request that stands for an operation.  One thread at a time has to do with it, as MPI asks of its
/// requests.
class ProxyRequest;

/// Is there any at all?  Where there is none, calls are MPI's without a look.
bool any_stands();

/// What stands for an operation of ours, or null.
std::shared_ptr<ProxyRequest> find_standing(MPI_Request request);

/// Start a persistent operation again; a call of MPI's on the request must follow if that went well.
int start(ProxyRequest& standing);

/// Give the operation back, which ends by itself if it is under way.  To be followed by MPI's call.
void give_back(ProxyRequest& standing, MPI_Request request);

/// Raise the error of a program that cancels a collective.  Returns the code.
int refuse_to_cancel(const ProxyRequest& standing);

/// The operations of ours among the requests that a call of MPI's is about to complete.
class OursAmong {
public:
    OursAmong(int n, const MPI_Request requests[]);

    /// None: the call is MPI's alone.
    bool empty() const { return ours_.empty(); }

    /// Drive all until they are over, and MPI's call is going to find them complete.
    void wait();

    /// Drive all once.
    void look();

    /// After MPI's call, which left the requests like this: forget those that are no more.
    void settle(const MPI_Request now[]);

    /// What went wrong with requests[i], which MPI's call has completed; told once, it has been raised.
    /// MPI_SUCCESS if it is none of ours.
    int take_error(int i);

    /// Has anything gone wrong?
    bool any_error() const;

private:
    struct Ours {
        int index;
        MPI_Request request;
        std::shared_ptr<ProxyRequest> standing;
    };
    std::vector<Ours> ours_;
};

} // namespace ortho::pmpi
