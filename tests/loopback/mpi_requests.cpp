// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_requests.hpp"

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

void finish_all(int n, MPI_Request* handles, MPI_Status* statuses)
{
    bool has_failed = false;
    std::vector<Outcome> outcomes;
    for (int i = 0; i < n; ++i) outcomes.push_back(finish(&handles[i]));
    for (int i = 0; i < n; ++i) {
        const Outcome& outcome = outcomes[static_cast<std::size_t>(i)];
        if (outcome.error != MPI_SUCCESS) has_failed = true;
        if (statuses != MPI_STATUSES_IGNORE) {
            set_status(&statuses[i], outcome);
            statuses[i].MPI_ERROR = outcome.error;
        }
    }
    if (has_failed) throw Error{nullptr, MPI_ERR_IN_STATUS};
}

bool are_all_ready(int n, MPI_Request* handles)
{
    progress();
    for (int i = 0; i < n; ++i)
        if (!is_ready(handles[i])) return false;
    return true;
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

bool are_all_idle(int n, MPI_Request* handles)
{
    for (int i = 0; i < n; ++i)
        if (!is_idle(handles[i])) return false;
    return true;
}

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
    wait_until([&] {
        progress();
        return request.is_ready();
    });
    const Outcome outcome = request.finish();
    scheduler->progressed();
    set_status(status, outcome);
    if (outcome.error != MPI_SUCCESS) throw Error{&communicator(request.comm), outcome.error};
}

} // namespace loopback

using namespace loopback;

PLAYED(int, Test, MPI_Request* request, int* flag, MPI_Status* status)
{
    return play("MPI_Test", [&] {
        progress();
        *flag = is_ready(*request) ? 1 : 0;
        if (*flag != 0)
            finish_one(request, status);
        else
            scheduler->wait();
    });
}

PLAYED(int, Testall, int n, MPI_Request* requests, int* flag, MPI_Status* statuses)
{
    return play("MPI_Testall", [&] {
        *flag = are_all_ready(n, requests) ? 1 : 0;
        if (*flag != 0)
            finish_all(n, requests, statuses);
        else
            scheduler->wait();
    });
}

PLAYED(int, Testany, int n, MPI_Request* requests, int* index, int* flag, MPI_Status* status)
{
    return play("MPI_Testany", [&] {
        *index = MPI_UNDEFINED;
        const auto ready = some_ready(n, requests);
        *flag = are_all_idle(n, requests) ? 1 : 0;
        if (*flag != 0) return set_status(status, {});
        if (ready.empty()) return scheduler->wait();
        *flag = 1;
        *index = ready.front();
        finish_one(&requests[*index], status);
    });
}

PLAYED(int, Testsome, int n, MPI_Request* requests, int* count, int* indices, MPI_Status* statuses)
{
    return play("MPI_Testsome", [&] {
        const auto ready = some_ready(n, requests);
        *count = are_all_idle(n, requests) ? MPI_UNDEFINED : static_cast<int>(ready.size());
        if (ready.empty()) return scheduler->wait();
        bool has_failed = false;
        for (std::size_t i = 0; i < ready.size(); ++i) {
            indices[i] = ready[i];
            const Outcome outcome = finish(&requests[ready[i]]);
            has_failed = has_failed || outcome.error != MPI_SUCCESS;
            if (statuses == MPI_STATUSES_IGNORE) continue;
            set_status(&statuses[i], outcome);
            statuses[i].MPI_ERROR = outcome.error;
        }
        if (has_failed) throw Error{nullptr, MPI_ERR_IN_STATUS};
    });
}

PLAYED(int, Wait, MPI_Request* request, MPI_Status* status)
{
    return play("MPI_Wait", [&] {
        wait_until([&] {
            progress();
            return is_ready(*request);
        });
        finish_one(request, status);
    });
}

PLAYED(int, Waitall, int n, MPI_Request* requests, MPI_Status* statuses)
{
    return play("MPI_Waitall", [&] {
        wait_until([&] { return are_all_ready(n, requests); });
        finish_all(n, requests, statuses);
    });
}

PLAYED(int, Waitany, int n, MPI_Request* requests, int* index, MPI_Status* status)
{
    return play("MPI_Waitany", [&] {
        *index = MPI_UNDEFINED;
        if (are_all_idle(n, requests)) return set_status(status, {});
        std::vector<int> ready;
        wait_until([&] { return !(ready = some_ready(n, requests)).empty(); });
        *index = ready.front();
        finish_one(&requests[*index], status);
    });
}

PLAYED(int, Cancel, MPI_Request* request)
{
    return play("MPI_Cancel", [&] {
        progress();
        request_of(*request).cancel();
    });
}

PLAYED(int, Start, MPI_Request* request)
{
    return play("MPI_Start", [&] {
        Request& r = request_of(*request);
        require(r.is_persistent && !r.is_active, MPI_ERR_REQUEST);
        r.is_active = true;
        r.start();
    });
}

PLAYED(int, Request_free, MPI_Request* request)
{
    return play("MPI_Request_free", [&] {
        const bool is_under_way = request_of(*request).is_active;
        auto freed = me->requests.remove(*request);
        if (is_under_way) me->freed_requests.push_back(std::move(freed));
        *request = MPI_REQUEST_NULL;
    });
}
