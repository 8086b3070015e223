// SPDX-License-Identifier: BSD-3-Clause
// MPI's calls on requests, among which are proxies of our operations.

#include <mpi.h>

#include "pmpi/proxy_request.hpp"

#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
namespace {
/// The type of a list of requests in a function of MPI: Intel's MPI has no `const` there.
template <class List, class... Others>
List list_of(int (*)(int, List, Others...));
} // namespace
using RequestList = decltype(list_of(PMPI_Request_get_status_all));
#else
using RequestList = const MPI_Request[];
extern "C" {
[[gnu::weak]] int PMPI_Request_get_status_all(int, RequestList, int*, MPI_Status[]);
[[gnu::weak]] int PMPI_Request_get_status_any(int, RequestList, int*, int*, MPI_Status*);
[[gnu::weak]] int PMPI_Request_get_status_some(int, RequestList, int*, int[], MPI_Status[]);
}
#endif

using namespace ortho;
using pmpi::OursAmong;

namespace {

/// Ends a call on one request, after MPI's call.
int finished(OursAmong& ours, MPI_Request* request, bool complete, int code)
{
    ours.settle(request);
    const int error = complete ? ours.take_error(0) : MPI_SUCCESS;
    return code != MPI_SUCCESS ? code : error;
}

/// Ends a call on several requests, after MPI's call.
template <class Index>
int finished(OursAmong& ours, MPI_Request requests[], int complete, Index index, MPI_Status statuses[],
             int code)
{
    ours.settle(requests);
    return ours.errors_in_statuses(complete, index, code, [&](int j, int error) {
        if (statuses != MPI_STATUSES_IGNORE) statuses[j].MPI_ERROR = error;
    });
}

int as_they_are(int j) { return j; }

[[gnu::hot]] int start(MPI_Request* request)
{
    const auto proxy = request != nullptr ? pmpi::find_proxy(*request) : nullptr;
    return proxy ? pmpi::start(*proxy, request) : PMPI_Start(request);
}

/// Shows the status of each request, until `take` has seen enough: what MPI before 4.1 has for several.
/// Inactive requests count as complete: that MPI does not tell them apart.
template <class Take>
int each_status(int count, RequestList requests, Take take)
{
    for (int i = 0; i < count; ++i) {
        int is_over = 0;
        MPI_Status status;
        if (const int code = PMPI_Request_get_status(requests[i], &is_over, &status); code != MPI_SUCCESS)
            return code;
        if (!take(i, is_over, status)) break;
    }
    return MPI_SUCCESS;
}

} // namespace

extern "C" {

[[gnu::hot]] int MPI_Wait(MPI_Request* request, MPI_Status* status)
{
    OursAmong ours(1, request);
    if (ours.empty()) return PMPI_Wait(request, status);
    const bool ask = ours.complete(request) || status != MPI_STATUS_IGNORE;
    return finished(ours, request, true, ask ? PMPI_Wait(request, status) : MPI_SUCCESS);
}

int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status)
{
    OursAmong ours(1, request);
    if (ours.empty()) return PMPI_Test(request, flag, status);
    ours.complete_if_over(request);
    const int code = PMPI_Test(request, flag, status);
    return finished(ours, request, code == MPI_SUCCESS && *flag != 0, code);
}

[[gnu::hot]] int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
    OursAmong ours(count, requests);
    if (ours.empty()) return PMPI_Waitall(count, requests, statuses);
    const bool ask = ours.complete(requests) || statuses != MPI_STATUSES_IGNORE;
    const int code = ask ? PMPI_Waitall(count, requests, statuses) : MPI_SUCCESS;
    return finished(ours, requests, count, as_they_are, statuses, code);
}

int MPI_Testall(int count, MPI_Request requests[], int* flag, MPI_Status statuses[])
{
    OursAmong ours(count, requests);
    if (ours.empty()) return PMPI_Testall(count, requests, flag, statuses);
    ours.look();
    const int code = PMPI_Testall(count, requests, flag, statuses);
    const bool complete = pmpi::is_in_status(code) || (code == MPI_SUCCESS && *flag != 0);
    return finished(ours, requests, complete ? count : 0, as_they_are, statuses, code);
}

int MPI_Waitany(int count, MPI_Request requests[], int* index, MPI_Status* status)
{
    OursAmong ours(count, requests);
    if (ours.empty()) return PMPI_Waitany(count, requests, index, status);
    int code = MPI_SUCCESS;
    const int driven = pmpi::look_until("MPI_Waitany", [&] {
        ours.look();
        int flag = 0;
        code = PMPI_Testany(count, requests, index, &flag, status);
        return flag != 0 || code != MPI_SUCCESS;
    });
    ours.settle(requests);
    if (driven != MPI_SUCCESS) return driven;
    return code != MPI_SUCCESS ? code : ours.take_error(*index);
}

int MPI_Testany(int count, MPI_Request requests[], int* index, int* flag, MPI_Status* status)
{
    OursAmong ours(count, requests);
    if (ours.empty()) return PMPI_Testany(count, requests, index, flag, status);
    ours.look();
    const int code = PMPI_Testany(count, requests, index, flag, status);
    ours.settle(requests);
    return code != MPI_SUCCESS || *flag == 0 ? code : ours.take_error(*index);
}

int MPI_Waitsome(int incount, MPI_Request requests[], int* outcount, int indices[], MPI_Status statuses[])
{
    OursAmong ours(incount, requests);
    if (ours.empty()) return PMPI_Waitsome(incount, requests, outcount, indices, statuses);
    int code = MPI_SUCCESS;
    const int driven = pmpi::look_until("MPI_Waitsome", [&] {
        ours.look();
        code = PMPI_Testsome(incount, requests, outcount, indices, statuses);
        return *outcount != 0 || code != MPI_SUCCESS;
    });
    if (driven != MPI_SUCCESS) {
        ours.settle(requests);
        return driven;
    }
    return finished(
        ours, requests, *outcount, [&](int j) { return indices[j]; }, statuses, code);
}

int MPI_Testsome(int incount, MPI_Request requests[], int* outcount, int indices[], MPI_Status statuses[])
{
    OursAmong ours(incount, requests);
    if (ours.empty()) return PMPI_Testsome(incount, requests, outcount, indices, statuses);
    ours.look();
    const int code = PMPI_Testsome(incount, requests, outcount, indices, statuses);
    return finished(
        ours, requests, *outcount, [&](int j) { return indices[j]; }, statuses, code);
}

int MPI_Request_get_status(MPI_Request request, int* flag, MPI_Status* status)
{
    OursAmong(1, &request).look();
    return PMPI_Request_get_status(request, flag, status);
}

// Functions for the status of several requests are new in MPI 4.1.

int MPI_Request_get_status_all(int count, RequestList requests, int* flag, MPI_Status statuses[])
{
    OursAmong(count, requests).look();
    if (pmpi::is_there(PMPI_Request_get_status_all))
        return PMPI_Request_get_status_all(count, requests, flag, statuses);
    *flag = 1;
    return each_status(count, requests, [&](int i, int is_over, const MPI_Status& status) {
        *flag &= is_over;
        if (statuses != MPI_STATUSES_IGNORE) statuses[i] = status;
        return true;
    });
}

int MPI_Request_get_status_any(int count, RequestList requests, int* index, int* flag, MPI_Status* status)
{
    OursAmong(count, requests).look();
    if (pmpi::is_there(PMPI_Request_get_status_any))
        return PMPI_Request_get_status_any(count, requests, index, flag, status);
    *index = MPI_UNDEFINED;
    *flag = 1; // if there is none to wait for
    if (status != MPI_STATUS_IGNORE) PMPI_Request_get_status(MPI_REQUEST_NULL, flag, status);
    return each_status(count, requests, [&](int i, int is_over, const MPI_Status& its) {
        if (requests[i] == MPI_REQUEST_NULL) return true;
        *flag = is_over;
        if (is_over == 0) return true;
        *index = i;
        if (status != MPI_STATUS_IGNORE) *status = its;
        return false;
    });
}

int MPI_Request_get_status_some(int incount, RequestList requests, int* outcount, int indices[],
                                MPI_Status statuses[])
{
    OursAmong(incount, requests).look();
    if (pmpi::is_there(PMPI_Request_get_status_some))
        return PMPI_Request_get_status_some(incount, requests, outcount, indices, statuses);
    *outcount = MPI_UNDEFINED; // if there is none to wait for
    return each_status(incount, requests, [&](int i, int is_over, const MPI_Status& status) {
        if (requests[i] == MPI_REQUEST_NULL) return true;
        if (*outcount == MPI_UNDEFINED) *outcount = 0;
        if (is_over == 0) return true;
        if (statuses != MPI_STATUSES_IGNORE) statuses[*outcount] = status;
        indices[(*outcount)++] = i;
        return true;
    });
}

int MPI_Request_free(MPI_Request* request)
{
    auto proxy = request != nullptr ? pmpi::find_proxy(*request) : nullptr;
    return proxy ? pmpi::give_back(proxy, request) : PMPI_Request_free(request);
}

int MPI_Cancel(MPI_Request* request)
{
    const auto proxy = request != nullptr ? pmpi::find_proxy(*request) : nullptr;
    return proxy ? pmpi::refuse_to_cancel(*proxy) : PMPI_Cancel(request);
}

[[gnu::hot]] int MPI_Start(MPI_Request* request) { return start(request); }

int MPI_Startall(int count, MPI_Request requests[])
{
    if (!pmpi::any_stands() || requests == nullptr || count < 0) return PMPI_Startall(count, requests);
    for (int i = 0; i < count; ++i)
        if (const int code = start(&requests[i]); code != MPI_SUCCESS) return code;
    return MPI_SUCCESS;
}

} // extern "C"
