// SPDX-License-Identifier: BSD-3-Clause
// Requests of MPI's that stand for operations of ours.
//
// Such a request is a receive of an empty message from oneself.  Where MPI is to say what is complete, of
// several, the message is sent once the operation is over: so all of MPI's calls on requests understand it,
// alone and among others, and it may be persistent.  What is left to us is to drive the operation, and to
// start it again, when those calls come by.
//
// Calls that wait for all their requests need no MPI for that.  They leave the receive as it is, and it
// stands for the next operation: a message to oneself would take longer than a small exchange.
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
    Counter* counter; ///< of the starts, if it is persistent
    MPI_Comm comm;
    std::shared_ptr<const std::atomic<bool>> there; ///< is it still there?
};

/// Have `*request` stand for an operation that has been started, or, if it is persistent, has not.  Returns
/// MPI's code; if that is an error, the operation has been given back.
int make_proxy(ORTHO_Request operation, bool persistent, Caller caller, MPI_Request* request);

/// A call that begins an operation, by `ours(&operation)`.
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

/// A non-blocking or persistent call: `ours(order, &operation)` if it is to be the library's, else `mpis()`.
template <class Ours, class Mpis>
int replace_begin(Counter& counter, MPI_Comm comm, Call call, MPI_Request* request, Ours ours,
                  Mpis mpis) noexcept
{
    if (mode() == Mode::off) return mpis();
    return guarded(counter.function(), comm, [&] {
        const Replaced replaced = replaced_on(comm, call);
        if (replaced.attribute == nullptr) return left(counter, replaced, mpis);
        return begin(counter, comm, *replaced.attribute, call.form == Form::persistent, request,
                     [&](ORTHO_Request* operation) { return ours(replaced.order, operation); });
    });
}

/// A request that stands for an operation.  One thread at a time has to do with it, as MPI asks of its
/// requests.
class ProxyRequest;

/// Is there any at all?  Where there is none, calls are MPI's without a look.
bool any_stands();

/// What stands for an operation of ours, or null.
std::shared_ptr<ProxyRequest> find_proxy(MPI_Request request);

/// Start a persistent operation again, in place of MPI's call.
int start(ProxyRequest& proxy, MPI_Request* request);

/// Free the request, in place of MPI's call, and give the operation back, which ends by itself if it is under
/// way.
int give_back(std::shared_ptr<ProxyRequest> proxy, MPI_Request* request);

/// Raise the error of a program that cancels a collective.  Returns the code.
int refuse_to_cancel(const ProxyRequest& proxy);

/// Do the statuses say what went wrong?
bool is_in_status(int code);

/// The operations of ours among the requests that a call of MPI's is about to complete.
class OursAmong {
public:
    OursAmong(int n, const MPI_Request requests[]);

    /// None: the call is MPI's alone.
    bool empty() const { return number_ == 0; }

    /// Drive all until they are over, and complete them without MPI, whose call is to see MPI_REQUEST_NULL in
    /// their places.  True if there are others, which it has to see.
    bool complete(MPI_Request requests[]);

    /// The same of one request alone; false if its operation is not over.
    bool complete_if_over(MPI_Request* request);

    /// Drive all once; MPI's call is going to find complete what is over.
    void look();

    /// After MPI's call: put persistent ones back in their places, and forget those that are no more.
    void settle(MPI_Request requests[]);

    /// What went wrong with requests[i], which is complete; told once, it has been raised.  MPI_SUCCESS if
    /// it is none of ours.
    int take_error(int i);

    /// The code to return of MPI's call on several, which returned `code`, and of which `complete` are:
    /// `index(j)` is which.  `set_error(j, error)`: writes MPI_ERROR of the j-th status.
    template <class Index, class SetError>
    int errors_in_statuses(int complete, Index index, int code, SetError set_error)
    {
        if (!any_error() || (code != MPI_SUCCESS && !is_in_status(code))) return code;
        bool failed = false;
        for (int j = 0; j < complete; ++j) {
            const int error = take_error(index(j));
            if (error != MPI_SUCCESS) failed = true;
            // MPI has said of none that it failed, or of each whether it did.
            if (error != MPI_SUCCESS || code == MPI_SUCCESS) set_error(j, error);
        }
        return failed ? MPI_ERR_IN_STATUS : code;
    }

private:
    struct Ours {
        int index = 0;
        MPI_Request request = MPI_REQUEST_NULL;
        std::shared_ptr<ProxyRequest> proxy{};
        bool hidden = false;     ///< from MPI's call; another operation may be what it stands for
        int error = MPI_SUCCESS; ///< of a hidden one
    };

    bool any_error();
    void hide(Ours& one, MPI_Request requests[]);
    std::span<Ours> ours() { return number_ == 1 ? std::span(&one_, 1) : std::span(several_); }

    int n_;
    std::size_t number_ = 0;
    Ours one_; // most calls have one request, and take no memory for it
    std::vector<Ours> several_;
};

/// Wait until `done()`, which looks at ours and makes a call of MPI's that tests.  Returns an error code of
/// what it has driven meanwhile.
template <class Done>
int look_until(const char* function, Done done)
{
    return ortho_wait_until(
        function, [](void* what) { return (*static_cast<Done*>(what))() ? 1 : 0; }, &done);
}

} // namespace ortho::pmpi
