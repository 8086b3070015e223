// SPDX-License-Identifier: BSD-3-Clause
// The completion of requests.
#include <algorithm>
#include <numeric>
#include <vector>

#include "communicators.hpp"
#include "mpi_errors.hpp"
#include "mpi_messages.hpp"

namespace loopback {

namespace {

Request& request_of(MPI_Request handle)
{
    Request* const result = me->requests.find(handle);
    require(result != nullptr, MPI_ERR_REQUEST);
    return *result;
}

bool is_idle(MPI_Request handle) { return handle == MPI_REQUEST_NULL || !request_of(handle).is_active; }
bool is_ready(MPI_Request handle) { return is_idle(handle) || request_of(handle).is_ready(); }

/// Finishes a request that is ready.
Outcome finish(MPI_Request* handle)
{
    if (is_idle(*handle)) return {};
    Request& request = request_of(*handle);
    const Outcome result = request.finish();
    scheduler->progressed();
    if (request.is_persistent) {
        request.is_active = false;
    } else {
        me->requests.remove(*handle);
        *handle = MPI_REQUEST_NULL;
    }
    return result;
}

void finish_one(MPI_Request* handle, MPI_Status* status)
{
    MPI_Comm const comm = is_idle(*handle) ? MPI_COMM_WORLD : request_of(*handle).comm;
    const Outcome outcome = finish(handle);
    set_status(status, outcome);
    if (outcome.error != MPI_SUCCESS) {
        Communicator* const c = comm == MPI_COMM_WORLD  ? me->world.get()
                                : comm == MPI_COMM_SELF ? me->self.get()
                                                        : me->communicators.find(comm);
        throw Error{c, outcome.error};
    }
}

/// Finishes the requests of these indices, each with a status of its own.
void finish(const std::vector<int>& indices, MPI_Request* handles, MPI_Status* statuses)
{
    bool has_failed = false;
    for (const int i : indices) {
        const Outcome outcome = finish(&handles[i]);
        has_failed = has_failed || outcome.error != MPI_SUCCESS;
        if (statuses == MPI_STATUSES_IGNORE) continue;
        set_status(statuses, outcome);
        statuses++->MPI_ERROR = outcome.error;
    }
    if (has_failed) throw Error{nullptr, MPI_ERR_IN_STATUS};
}
void finish_all(int n, MPI_Request* handles, MPI_Status* statuses)
{
    std::vector<int> all(at(n));
    std::iota(all.begin(), all.end(), 0);
    finish(all, handles, statuses);
}

bool are_all_ready(int n, MPI_Request* handles)
{
    progress();
    return std::all_of(handles, handles + n, is_ready);
}

/// The indices of those that complete now; by chance not all.
std::vector<int> some_ready(int n, MPI_Request* handles)
{
    progress();
    std::vector<int> result;
    for (int i = 0; i < n; ++i)
        if (!is_idle(handles[i]) && is_ready(handles[i])) result.push_back(i);
    while (result.size() > 1 && scheduler->below(3) == 0)
        result.erase(result.begin() + static_cast<std::ptrdiff_t>(scheduler->below(result.size())));
    return result;
}

bool are_all_idle(int n, MPI_Request* handles) { return std::all_of(handles, handles + n, is_idle); }

} // namespace

void set_status(MPI_Status* status, const Outcome& outcome)
{
    if (status == MPI_STATUS_IGNORE) return;
    status->MPI_SOURCE = outcome.source;
    status->MPI_TAG = outcome.tag;
    PMPI_Status_set_elements_x(status, MPI_BYTE, static_cast<MPI_Count>(outcome.bytes));
    PMPI_Status_set_cancelled(status, outcome.is_cancelled ? 1 : 0);
}

void complete(Request& request, MPI_Status* status)
{
    wait_inside([&] { return request.is_ready(); });
    const Outcome outcome = request.finish();
    scheduler->progressed();
    set_status(status, outcome);
    if (outcome.error != MPI_SUCCESS) throw Error{&communicator(request.comm), outcome.error};
}

} // namespace loopback

using namespace loopback;

COMMUNICATING(Test, MPI_Request* request, int* flag, MPI_Status* status)
{
    *flag = are_all_ready(1, request) ? 1 : 0;
    if (*flag == 0) return scheduler->wait();
    finish_one(request, status);
}

COMMUNICATING(Testall, int n, MPI_Request* requests, int* flag, MPI_Status* statuses)
{
    *flag = are_all_ready(n, requests) ? 1 : 0;
    if (*flag == 0) return scheduler->wait();
    finish_all(n, requests, statuses);
}

COMMUNICATING(Testany, int n, MPI_Request* requests, int* index, int* flag, MPI_Status* status)
{
    *index = MPI_UNDEFINED;
    const auto ready = some_ready(n, requests);
    *flag = are_all_idle(n, requests) ? 1 : 0;
    if (*flag != 0) return set_status(status, {});
    if (ready.empty()) return scheduler->wait();
    *flag = 1;
    *index = ready.front();
    finish_one(&requests[*index], status);
}

COMMUNICATING(Testsome, int n, MPI_Request* requests, int* count, int* indices, MPI_Status* statuses)
{
    const auto ready = some_ready(n, requests);
    *count = are_all_idle(n, requests) ? MPI_UNDEFINED : static_cast<int>(ready.size());
    if (ready.empty()) return scheduler->wait();
    std::ranges::copy(ready, indices);
    finish(ready, requests, statuses);
}

COMMUNICATING(Wait, MPI_Request* request, MPI_Status* status)
{
    wait_until([&] { return are_all_ready(1, request); });
    finish_one(request, status);
}

COMMUNICATING(Waitall, int n, MPI_Request* requests, MPI_Status* statuses)
{
    wait_until([&] { return are_all_ready(n, requests); });
    finish_all(n, requests, statuses);
}

COMMUNICATING(Cancel, MPI_Request* request)
{
    progress();
    request_of(*request).cancel();
}

COMMUNICATING(Start, MPI_Request* request)
{
    Request& r = request_of(*request);
    require(r.is_persistent && !r.is_active, MPI_ERR_REQUEST);
    r.is_active = true;
    r.start();
}

COMMUNICATING(Request_free, MPI_Request* request)
{
    const bool is_under_way = request_of(*request).is_active;
    auto freed = me->requests.remove(*request);
    if (is_under_way) me->freed_requests.push_back(std::move(freed));
    *request = MPI_REQUEST_NULL;
}
