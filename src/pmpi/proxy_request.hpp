// SPDX-License-Identifier: BSD-3-Clause
// Proxy requests: MPI's requests in the place of our operations.  One is a receive of an empty message from
// oneself, so all calls of MPI understand it.  The message is sent only if MPI has to find which of several
// requests are complete (doc/interposer.md).
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "mpiortho.h"
#include "pmpi/interposed_topology.hpp"
#include "pmpi/replace.hpp"

namespace ortho::pmpi {

/// The call that an operation began with.
struct Caller {
    Counter* counter; ///< of the starts, for a persistent operation
    MPI_Comm comm;
    std::shared_ptr<const std::atomic<bool>> there; ///< does the communicator still exist?
};

/// Makes `*request` the proxy of an operation, which has been started unless it is persistent.  Returns MPI's
/// code; after an error the operation has been freed.
int make_proxy(ORTHO_Request operation, bool persistent, Caller caller, MPI_Request* request);

/// True if the program's calls of MPI's functions on requests come to the interposer.  A program, or a
/// profiler that is linked with it, may define some of these functions.  The dynamic linker takes them in
/// place of ours, and they know no proxies.
bool sees_requests();

/// A call that begins an operation by `ours(&operation)`.
template <class Ours>
int begin(Counter& counter, MPI_Comm comm, const InterposedTopology& attribute, bool persistent,
          MPI_Request* request, Ours ours)
{
    base::require(request != nullptr, base::ErrorKind::arg, "request", "request is a null pointer");
    const Counter::Timing timing(counter);
    ORTHO_Request operation = ORTHO_REQUEST_NULL;
    if (const int code = ours(&operation); code != MPI_SUCCESS) return code;
    return make_proxy(operation, persistent,
                      {persistent ? &counter.starts() : &counter, comm, attribute.there}, request);
}

/// A non-blocking or persistent call: `ours(order, &operation)` if it is replaced, else `mpis()`.
template <class Ours, class Mpis>
int replace_begin(Counter& counter, MPI_Comm comm, Call call, MPI_Request* request, Ours ours, Mpis mpis)
{
    if (mode() == Mode::off) return mpis();
    return guarded(counter.function(), comm, [&] {
        const EdgeOrder order = order_on(comm, call);
        if (order.neighbors == nullptr) return left(counter, order, mpis);
        if (!sees_requests()) {
            counter.leave();
            return mpis();
        }
        return begin(counter, comm, *order.neighbors, call.form == Form::persistent, request,
                     [&](ORTHO_Request* operation) { return ours(order, operation); });
    });
}

/// The state of a proxy request.  One thread at a time uses it, as MPI demands of its requests.
class ProxyRequest;

/// Are there any proxy requests?  If not, calls are MPI's at once.
bool any_stands();

/// The proxy behind a request, or null.
std::shared_ptr<ProxyRequest> find_proxy(MPI_Request request);

/// Starts a persistent operation again, in place of MPI's call.
int start(ProxyRequest& proxy, MPI_Request* request);

/// Frees the request, in place of MPI's call, and the operation, which ends by itself if it is under way.
int give_back(const std::shared_ptr<ProxyRequest>& proxy, MPI_Request* request);

/// Raises the error of cancelling a collective.  Returns the code.
int refuse_to_cancel(const ProxyRequest& proxy);

/// Does the code say that the statuses hold the errors?
bool is_in_status(int code);

/// The operations of ours among the requests of a call of MPI's that completes requests.
class OursAmong {
public:
    OursAmong(int n, const MPI_Request requests[]);

    /// True if there are none: the call is MPI's alone.
    bool empty() const { return number_ == 0; }

    /// Drives all of them until they are over, and completes them without MPI, whose call finds
    /// MPI_REQUEST_NULL in their places.  True if there are other requests, which MPI's call must complete.
    bool complete(MPI_Request requests[]);

    /// complete() for a single request; false if its operation is not over.
    bool complete_if_over(MPI_Request* request);

    /// Drives all of them once; MPI's call will find those complete that are over.
    void look();

    /// After MPI's call: puts persistent requests back in their places, and forgets freed ones.  Throws what
    /// an error handler has thrown.
    void settle(MPI_Request requests[]);

    /// The error of requests[i], which is complete; the call returns it once, and it has been raised.
    /// MPI_SUCCESS if the request is not ours.
    int take_error(int i);

    /// The code to return from a call on several requests.  MPI's call returned `code` and completed
    /// `complete` requests; `index(j)` is the index of the j-th.  `set_error(j, error)` writes MPI_ERROR of
    /// the j-th status.
    template <class Index, class SetError>
    int errors_in_statuses(int complete, Index index, int code, SetError set_error)
    {
        if (!any_error() || (code != MPI_SUCCESS && !is_in_status(code))) return code;
        bool failed = false;
        for (int j = 0; j < complete; ++j) {
            const int error = take_error(index(j));
            if (error != MPI_SUCCESS) failed = true;
            // MPI has reported no failure at all, or has set MPI_ERROR in each status.
            if (error != MPI_SUCCESS || code == MPI_SUCCESS) set_error(j, error);
        }
        return failed ? MPI_ERR_IN_STATUS : code;
    }

private:
    struct Ours {
        int index = 0;
        MPI_Request request = MPI_REQUEST_NULL;
        std::shared_ptr<ProxyRequest> proxy{};
        bool hidden = false;     ///< from MPI's call; its proxy may serve another operation by now
        int error = MPI_SUCCESS; ///< of a hidden one
    };

    template <class Call>
    int code_of(Call call);
    bool any_error();
    void hide(Ours& one, MPI_Request requests[]);
    std::span<Ours> ours() { return number_ == 1 ? std::span(&one_, 1) : std::span(several_); }

    int n_;
    std::size_t number_ = 0;
    Ours one_; // most calls have one request, and take no memory for it
    std::vector<Ours> several_;
    std::exception_ptr thrown_;
};

/// Waits until `done()`, which looks at our operations and makes a testing call of MPI's.  Returns the error
/// code of operations that it has driven meanwhile.
template <class Done>
int look_until(const char* function, Done done)
{
    return ortho_wait_until(
        function, [](void* what) { return (*static_cast<Done*>(what))() ? 1 : 0; }, &done);
}

} // namespace ortho::pmpi
