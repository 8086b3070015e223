// SPDX-License-Identifier: BSD-3-Clause
// The public calls on requests.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/index.hpp"
#include "mpi/error_handling.hpp"
#include "mpi/library_lifetime.hpp"
#include "mpi/quiet_errors.hpp"
#include "mpiortho.h"
#include "request/request.hpp"
#include "runtime/wait.hpp"

namespace {

using namespace ortho;
using base::ErrorKind;
using base::require;
using runtime::OutstandingOperations;
using request::Task;

/// Is there something to wait for?
bool is_active(ORTHO_Request request) { return request != ORTHO_REQUEST_NULL && request->active; }

/// `index`: in a list; -1 if it is alone.
[[noreturn]] void refuse(int index, const char* why)
{
    base::fail(ErrorKind::request, "request", index < 0 ? "request" : base::text("requests[", index, "]"),
               why);
}

/// Throws unless it is a request, or none.
[[gnu::hot]] void check_handle(ORTHO_Request request, int index = -1)
{
    if (request == ORTHO_REQUEST_NULL || request::is_live(request)) return;
    refuse(index, " is no request: it was never set, or its request was freed");
}

void check_no_null(ORTHO_Request request, int index = -1)
{
    if (request == ORTHO_REQUEST_NULL) refuse(index, " is ORTHO_REQUEST_NULL");
    check_handle(request, index);
}

/// Sets MPI's empty status with an error code.  A collective has nothing else to say there.
void set_status(MPI_Status* status, int error = MPI_SUCCESS)
{
    if (status == MPI_STATUS_IGNORE) return;
    mpi::check(PMPI_Status_set_elements(status, MPI_BYTE, 0));
    mpi::check(PMPI_Status_set_cancelled(status, 0));
    status->MPI_SOURCE = MPI_ANY_SOURCE;
    status->MPI_TAG = MPI_ANY_TAG;
    status->MPI_ERROR = error;
}

MPI_Status* nth(MPI_Status statuses[], int i)
{
    return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i];
}

/// guard(), inside it, for what concerns one operation: errors go through its communicator's handler,
/// and into the status.
template <class Body>
int guard_of(const Task& task, Body&& body, MPI_Status* status = MPI_STATUS_IGNORE)
{
    try {
        std::forward<Body>(body)();
        return MPI_SUCCESS;
    } catch (...) {
        const int code = mpi::raise_current(mpi::PublicCall::current()->function(), task.error_comm(), false);
        set_status(status, code);
        return code;
    }
}

/// Throws an error that has been raised.
void pass_on(int code)
{
    if (code != MPI_SUCCESS) throw mpi::Failure(code, mpi::Failure::Raised::by_us);
}

/// The operation is over: give its request back, even if the error handler throws.  Returns its error code,
/// which has been raised.
[[gnu::hot]] int complete(ORTHO_Request* request, MPI_Status* status)
{
    struct GivenBack {
        ~GivenBack()
        {
            if ((*request)->persistent) return;
            request::end_request(*request);
            *request = ORTHO_REQUEST_NULL;
        }
        ORTHO_Request* request;
    } const done{request};
    (*request)->active = false;
    OutstandingOperations::remove(*(*request)->task);
    set_status(status);
    return guard_of(
        *(*request)->task, [&] { (*request)->task->rethrow(); }, status);
}

/// Drive an active request; is it over?
[[gnu::hot]] bool is_over(ORTHO_Request request, runtime::Backoff& backoff)
{
    std::optional<mpi::QuietRequests> quiet;
    if (request->task->takes_mpi()) quiet.emplace();
    return request->task->advance(true, backoff);
}
[[gnu::hot]] bool is_over(ORTHO_Request request)
{
    runtime::Backoff backoff;
    return is_over(request, backoff);
}

/// Wait for some of these, errors of requests kept quiet until they are raised.
template <class Done>
void wait_until(int n, const ORTHO_Request requests[], Done done)
{
    std::optional<mpi::QuietRequests> quiet;
    for (int i = 0; i < n && !quiet; ++i)
        if (is_active(requests[i]) && requests[i]->task->takes_mpi()) quiet.emplace();
    runtime::wait_until(
        done,
        [&](const runtime::StallWatch& watch) {
            for (int i = 0; i < n; ++i)
                if (is_active(requests[i]) && !is_over(requests[i]))
                    watch.report(mpi::PublicCall::current()->function(), requests[i]->task->waiting());
        },
        [] {}); // operations give themselves up
}

void check_list(int n, ORTHO_Request requests[])
{
    require(n >= 0, ErrorKind::count, "n", "n = ", n, " is negative");
    require(n == 0 || requests != nullptr, ErrorKind::arg, "requests", "requests is a null pointer");
    for (int i = 0; i < n; ++i) check_handle(requests[i], i);
}

/// The calls of one process on several requests at once.  Errors come as codes, one a request; those
/// of the request that were raised are not raised again.
class List {
public:
    List(int n, ORTHO_Request requests[]) : n_(n), requests_(requests) { check_list(n, requests); }

    /// Are all over?  Drives them all.
    bool all_over(runtime::Backoff& backoff) const
    {
        bool all = true;
        for (int i = 0; i < n_; ++i)
            all = (!is_active(requests_[i]) || is_over(requests_[i], backoff)) && all;
        return all;
    }

    /// One that is over, or MPI_UNDEFINED; `any` tells whether there is an active one at all.
    int one_over(bool& any, runtime::Backoff& backoff) const
    {
        any = false;
        for (int i = 0; i < n_; ++i) {
            if (!is_active(requests_[i])) continue;
            any = true;
            if (is_over(requests_[i], backoff)) return i;
        }
        return MPI_UNDEFINED;
    }

    /// All that are over.
    std::vector<int> over(bool& any, runtime::Backoff& backoff) const
    {
        any = false;
        std::vector<int> result;
        for (int i = 0; i < n_; ++i) {
            if (!is_active(requests_[i])) continue;
            any = true;
            if (is_over(requests_[i], backoff)) result.push_back(i);
        }
        return result;
    }

    /// Complete requests_[i], or give an inactive one its empty status.
    void complete(int i, MPI_Status* status)
    {
        int code = MPI_SUCCESS;
        try {
            if (is_active(requests_[i])) code = ::complete(&requests_[i], MPI_STATUS_IGNORE);
        } catch (const mpi::ThrownByHandler& thrown) { // the others are completed, too
            thrown_ = thrown;
            code = MPI_ERR_OTHER;
        }
        set_status(status, code);
        if (code != MPI_SUCCESS) failed_ = true;
    }

    /// Completes some requests, and returns how many.
    int complete(std::span<const int> over, int indices[], MPI_Status statuses[])
    {
        std::ranges::copy(over, indices);
        for (std::size_t i = 0; i < over.size(); ++i) complete(over[i], nth(statuses, static_cast<int>(i)));
        return static_cast<int>(over.size());
    }

    void complete_all(MPI_Status statuses[])
    {
        for (int i = 0; i < n_; ++i) complete(i, nth(statuses, i));
        finish();
    }

    /// Raises MPI's error for several requests some of which have failed.
    void finish() const
    {
        if (thrown_) throw *thrown_;
        if (failed_) throw mpi::Failure(MPI_ERR_IN_STATUS, mpi::Failure::Raised::by_us);
    }

private:
    int n_;
    ORTHO_Request* requests_;
    bool failed_ = false;
    std::optional<mpi::ThrownByHandler> thrown_;
};

/// guard() for a function of a request.  Errors of a live request go through its handler.
template <class Body>
int guard_request(const char* function, ORTHO_Request request, Body body)
{
    return mpi::guard(function, [&] {
        if (!request::is_live(request)) return body();
        pass_on(guard_of(*request->task, body));
    });
}

/// `under_way`: what is wrong with one that is.
void check_startable(ORTHO_Request request, int index = -1, const char* under_way = " is active already")
{
    check_no_null(request, index);
    pass_on(guard_of(*request->task, [&] {
        if (!request->persistent) refuse(index, " is not persistent");
        if (request->active) refuse(index, under_way);
    }));
}

/// guard() for a function of a persistent operation that is not under way.
template <class Body>
int guard_inactive(const char* function, ORTHO_Request request, Body&& body)
{
    return mpi::guard(function, [&] {
        check_startable(request, -1, " is under way, and can get other buffers when it is over");
        pass_on(guard_of(*request->task, std::forward<Body>(body)));
    });
}

/// Copies a field of a halo exchange.
int move_field(const char* function, ORTHO_Request request, request::FieldMove move)
{
    return guard_request(function, request, [&] {
        check_no_null(request);
        move.is_active = request->active;
        const runtime::WaitsFor waits([&] {
            runtime::Waiting result = request->task->waiting();
            result.ranks.clear(); // those of the exchange
            return result;
        });
        request->task->move_field(move);
    });
}

/// One value for each field of a halo exchange.
template <class T>
std::span<const T> as_list(int nfields, const T* values, const char* argument)
{
    require(nfields >= 0, ErrorKind::arg, "nfields", "nfields = ", nfields, " is negative");
    if (nfields > 0) mpi::require_result(values, argument);
    return {values, static_cast<std::size_t>(nfields)};
}

/// `to_run`: all processes stay with it.
void start(ORTHO_Request request, bool to_run)
{
    pass_on(guard_of(*request->task, [&] { request->task->start(to_run); }));
    request->active = true;
    OutstandingOperations::add(*request->task);
}

/// After the work that is in the stream.
void start_behind(ORTHO_Request request, void* stream, bool to_run)
{
    check_startable(request);
    pass_on(guard_of(*request->task, [&] { request->task->follow(stream); }));
    start(request, to_run);
}

/// Wait until the host has nothing more to do: what is put into the stream from now on finds the result.
void complete_before(ORTHO_Request* request, void* stream)
{
    check_handle(*request);
    if (!is_active(*request)) return;
    require(memory::any_driver(), ErrorKind::arg, "stream", memory::no_driver);
    wait_until(1, request, [&](runtime::Backoff& backoff) {
        std::optional<mpi::QuietRequests> quiet;
        if ((*request)->task->takes_mpi()) quiet.emplace();
        return (*request)->task->precede(stream, backoff);
    });
    pass_on(complete(request, MPI_STATUS_IGNORE));
}

/// Start several that all processes stay with.
void start_to_run(int n, ORTHO_Request requests[])
{
    // A mistake in one request starts none.  A request that is in the list twice is active the second time.
    int marked = 0;
    const auto unmark = [&] {
        for (int i = 0; i < marked; ++i) requests[i]->active = false;
    };
    try {
        for (; marked < n; ++marked) {
            check_startable(requests[marked], n > 1 ? marked : -1);
            requests[marked]->active = true;
        }
    } catch (...) {
        unmark();
        throw;
    }
    unmark();
    for (int i = 0; i < n; ++i) start(requests[i], true);
}

} // namespace

extern "C" {

[[gnu::hot]] int ORTHO_Start(ORTHO_Request* request)
{
    return mpi::guard("ORTHO_Start", [&] {
        mpi::require_result(request, "request");
        check_startable(*request);
        start(*request, false);
    });
}

int ORTHO_Startall(int n, ORTHO_Request requests[])
{
    return mpi::guard("ORTHO_Startall", [&] {
        check_list(n, requests);
        for (int i = 0; i < n; ++i) {
            check_startable(requests[i], i);
            start(requests[i], false);
        }
    });
}

[[gnu::hot]] int ORTHO_Run(ORTHO_Request* request, MPI_Status* status)
{
    return mpi::guard("ORTHO_Run", [&] {
        mpi::require_result(request, "request");
        start_to_run(1, request);
        wait_until(1, request, [&](runtime::Backoff& backoff) { return is_over(*request, backoff); });
        pass_on(complete(request, status));
    });
}

int ORTHO_Runall(int n, ORTHO_Request requests[], MPI_Status statuses[])
{
    return mpi::guard("ORTHO_Runall", [&] {
        List list(n, requests);
        start_to_run(n, requests);
        wait_until(n, requests, [&](runtime::Backoff& backoff) { return list.all_over(backoff); });
        list.complete_all(statuses);
    });
}

[[gnu::hot]] int ORTHO_Wait(ORTHO_Request* request, MPI_Status* status)
{
    return mpi::guard("ORTHO_Wait", [&] {
        mpi::require_result(request, "request");
        check_handle(*request);
        if (!is_active(*request)) {
            set_status(status);
            return;
        }
        if (!is_over(*request))
            wait_until(1, request, [&](runtime::Backoff& backoff) { return is_over(*request, backoff); });
        pass_on(complete(request, status));
    });
}

int ORTHO_Start_enqueue(ORTHO_Request* request, void* stream)
{
    return mpi::guard("ORTHO_Start_enqueue", [&] {
        mpi::require_result(request, "request");
        start_behind(*request, stream, false);
    });
}

int ORTHO_Wait_enqueue(ORTHO_Request* request, void* stream)
{
    return mpi::guard("ORTHO_Wait_enqueue", [&] {
        mpi::require_result(request, "request");
        complete_before(request, stream);
    });
}

int ORTHO_Run_enqueue(ORTHO_Request* request, void* stream)
{
    return mpi::guard("ORTHO_Run_enqueue", [&] {
        mpi::require_result(request, "request");
        start_behind(*request, stream, true);
        complete_before(request, stream);
    });
}

int ORTHO_Test(ORTHO_Request* request, int* flag, MPI_Status* status)
{
    return mpi::guard("ORTHO_Test", [&] {
        mpi::require_result(request, "request");
        mpi::require_result(flag, "flag");
        check_handle(*request);
        runtime::Backoff backoff;
        OutstandingOperations::look(backoff);
        *flag = 1;
        if (!is_active(*request)) {
            set_status(status);
            return;
        }
        *flag = 0;
        if (!is_over(*request, backoff)) return;
        *flag = 1;
        pass_on(complete(request, status));
    });
}

int ORTHO_Waitall(int n, ORTHO_Request requests[], MPI_Status statuses[])
{
    return mpi::guard("ORTHO_Waitall", [&] {
        List list(n, requests);
        wait_until(n, requests, [&](runtime::Backoff& backoff) { return list.all_over(backoff); });
        list.complete_all(statuses);
    });
}

int ORTHO_Testall(int n, ORTHO_Request requests[], int* flag, MPI_Status statuses[])
{
    return mpi::guard("ORTHO_Testall", [&] {
        List list(n, requests);
        mpi::require_result(flag, "flag");
        runtime::Backoff backoff;
        OutstandingOperations::look(backoff);
        *flag = list.all_over(backoff) ? 1 : 0;
        if (*flag == 0) return;
        list.complete_all(statuses);
    });
}

int ORTHO_Waitany(int n, ORTHO_Request requests[], int* index, MPI_Status* status)
{
    return mpi::guard("ORTHO_Waitany", [&] {
        List list(n, requests);
        mpi::require_result(index, "index");
        bool any = false;
        wait_until(n, requests, [&](runtime::Backoff& backoff) {
            *index = list.one_over(any, backoff);
            return *index != MPI_UNDEFINED || !any;
        });
        if (*index == MPI_UNDEFINED) {
            set_status(status);
            return;
        }
        pass_on(complete(&requests[*index], status));
    });
}

int ORTHO_Testany(int n, ORTHO_Request requests[], int* index, int* flag, MPI_Status* status)
{
    return mpi::guard("ORTHO_Testany", [&] {
        List list(n, requests);
        mpi::require_result(index, "index");
        mpi::require_result(flag, "flag");
        runtime::Backoff backoff;
        OutstandingOperations::look(backoff);
        bool any = false;
        *index = list.one_over(any, backoff);
        *flag = *index != MPI_UNDEFINED || !any ? 1 : 0;
        if (*index == MPI_UNDEFINED) {
            if (*flag != 0) set_status(status);
            return;
        }
        pass_on(complete(&requests[*index], status));
    });
}

int ORTHO_Waitsome(int n, ORTHO_Request requests[], int* count, int indices[], MPI_Status statuses[])
{
    return mpi::guard("ORTHO_Waitsome", [&] {
        List list(n, requests);
        mpi::require_result(count, "count");
        if (n > 0) mpi::require_result(indices, "indices");
        std::vector<int> over;
        bool any = false;
        wait_until(n, requests, [&](runtime::Backoff& backoff) {
            over = list.over(any, backoff);
            return !over.empty() || !any;
        });
        *count = any ? list.complete(over, indices, statuses) : MPI_UNDEFINED;
        list.finish();
    });
}

int ORTHO_Testsome(int n, ORTHO_Request requests[], int* count, int indices[], MPI_Status statuses[])
{
    return mpi::guard("ORTHO_Testsome", [&] {
        List list(n, requests);
        mpi::require_result(count, "count");
        if (n > 0) mpi::require_result(indices, "indices");
        runtime::Backoff backoff;
        OutstandingOperations::look(backoff);
        bool any = false;
        const std::vector<int> over = list.over(any, backoff);
        *count = any ? list.complete(over, indices, statuses) : MPI_UNDEFINED;
        list.finish();
    });
}

int ORTHO_Request_rebind(ORTHO_Request request, const void* sendbuf, void* recvbuf)
{
    return guard_inactive("ORTHO_Request_rebind", request,
                          [&] { request->task->rebind_buffers(sendbuf, recvbuf); });
}

int ORTHO_Halo_rebind(ORTHO_Request request, int nfields, void* const bases[])
{
    return guard_inactive("ORTHO_Halo_rebind", request,
                          [&] { request->task->rebind_fields(as_list(nfields, bases, "bases")); });
}

int ORTHO_Halo_rebind_fields(ORTHO_Request request, int nfields, const ORTHO_Field fields[])
{
    return guard_inactive("ORTHO_Halo_rebind_fields", request, [&] {
        request->task->rebind_fields(request->task->bases_of_fields(as_list(nfields, fields, "fields")));
    });
}

int ORTHO_Ghosts_rebind(ORTHO_Request r, int nfields, void* const owned[], void* const ghosts[])
{
    return guard_inactive("ORTHO_Ghosts_rebind", r, [&] {
        r->task->rebind_ghosts(as_list(nfields, owned, "owned"), as_list(nfields, ghosts, "ghosts"));
    });
}

int ORTHO_Halo_unfilled(ORTHO_Request request, int field, int maxn, int directions[], int* n)
{
    return guard_request("ORTHO_Halo_unfilled", request, [&] {
        check_no_null(request);
        const grid::Stencil regions = request->task->unfilled(field);
        require(maxn >= 0, ErrorKind::arg, "maxn", "maxn = ", maxn, " is negative");
        mpi::require_result(n, "n");
        *n = regions.size();
        if (const int written = std::min(maxn, regions.size()); written > 0) {
            mpi::require_result(directions, "directions");
            const std::size_t numbers = at(std::int64_t{written} * regions.dimensions());
            std::ranges::copy(regions.flat().first(numbers), directions);
        }
    });
}

int ORTHO_Halo_gather(ORTHO_Request request, int field, const ORTHO_Field* whole, int root)
{
    return move_field("ORTHO_Halo_gather", request, {true, field, whole, root, false});
}

int ORTHO_Halo_scatter(ORTHO_Request request, int field, const ORTHO_Field* whole, int root)
{
    return move_field("ORTHO_Halo_scatter", request, {false, field, whole, root, false});
}

int ORTHO_Request_free(ORTHO_Request* request)
{
    return mpi::guard("ORTHO_Request_free", [&] {
        mpi::require_result(request, "request");
        check_no_null(*request);
        ORTHO_Request const freed = std::exchange(*request, ORTHO_REQUEST_NULL);
        // An operation that is under way goes on, and ends by itself.
        std::unique_ptr<Task> under_way;
        if (freed->active) under_way = std::move(freed->task);
        request::end_request(freed);
        if (under_way) OutstandingOperations::adopt(std::move(under_way));
    });
}

int ORTHO_Parrived(ORTHO_Request request, int inneighbor, int* flag)
{
    return guard_request("ORTHO_Parrived", request, [&] {
        mpi::require_result(flag, "flag");
        check_handle(request);
        runtime::Backoff backoff;
        OutstandingOperations::look(backoff);
        *flag = 1;
        if (!is_active(request)) return;
        const mpi::QuietRequests quiet;
        *flag = request->task->has_arrived(inneighbor) ? 1 : 0;
    });
}

int ORTHO_Explain(ORTHO_Request request, char text[], int maxlen, int* len)
{
    return guard_request("ORTHO_Explain", request, [&] {
        check_no_null(request);
        mpi::write_text(request->task->explanation(), text, maxlen, len);
    });
}

int ORTHO_Progress(void)
{
    return mpi::guard("ORTHO_Progress", [&] {
        mpi::require_running();
        runtime::Backoff backoff;
        OutstandingOperations::look(backoff);
    });
}

} // extern "C"
