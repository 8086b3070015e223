// SPDX-License-Identifier: BSD-3-Clause
// Fortran calls on requests, some of which may stand for operations of ours.

#include <mpi.h>

#include <sched.h>

#include <cstddef>
#include <vector>

#include "pmpi/fortran.hpp"
#include "pmpi/proxy_request.hpp"

using namespace ortho;
using namespace ortho::pmpi::fortran;

namespace {

/// The operations of ours among a call's requests, of which none is looked at where nothing stands for any.
class Ours {
public:
    Ours(Fint n, Fint requests[])
        : requests_(requests),
          handles_(in_c(pmpi::any_stands() ? n : 0)),
          ours_(static_cast<int>(handles_.size()), handles_.data())
    {}

    bool empty() const { return ours_.empty(); }
    void look() { ours_.look(); }
    void complete()
    {
        if (ours_.empty()) return;
        ours_.complete(handles_.data());
        in_fortran();
    }
    void complete_if_over()
    {
        if (!ours_.empty() && ours_.complete_if_over(handles_.data())) in_fortran();
    }

    /// After MPI's call, which completed those that `index(j)` says, j = 0 to n - 1: its error code, or what
    /// went wrong with one of ours.
    template <class Index>
    void settle(Fint* ierror, Fint n, Index index)
    {
        if (ours_.empty()) return;
        handles_ = in_c(static_cast<Fint>(handles_.size()));
        ours_.settle(handles_.data());
        in_fortran();
        int found = MPI_SUCCESS;
        for (Fint j = 0; j < n; ++j) {
            const int error = ours_.take_error(index(j));
            if (error != MPI_SUCCESS) found = error;
        }
        // What MPI has found wrong stands.
        if (found != MPI_SUCCESS && (ierror == nullptr || *ierror == MPI_SUCCESS)) give(ierror, found);
    }
    void settle(Fint* ierror, Fint n)
    {
        settle(ierror, n, [](Fint j) { return j; });
    }

private:
    std::vector<MPI_Request> in_c(Fint n) const
    {
        std::vector<MPI_Request> handles;
        for (Fint i = 0; i < n; ++i) handles.push_back(PMPI_Request_f2c(requests_[i]));
        return handles;
    }
    /// Those that have changed.
    void in_fortran()
    {
        for (std::size_t i = 0; i < handles_.size(); ++i)
            if (PMPI_Request_f2c(requests_[i]) != handles_[i]) requests_[i] = PMPI_Request_c2f(handles_[i]);
    }

    Fint* requests_;
    std::vector<MPI_Request> handles_;
    pmpi::OursAmong ours_;
};

} // namespace

ORTHO_FORTRAN(wait, (Fint * request, Fint* status, Fint* ierror), (request, status, ierror))
{
    Ours ours(1, request);
    ours.complete();
    mpis(request, status, ierror);
    ours.settle(ierror, 1);
}

ORTHO_FORTRAN(waitall, (Fint * count, Fint* requests, Fint* statuses, Fint* ierror),
              (count, requests, statuses, ierror))
{
    Ours ours(*count, requests);
    ours.complete();
    mpis(count, requests, statuses, ierror);
    ours.settle(ierror, *count);
}

ORTHO_FORTRAN(test, (Fint * request, Fint* flag, Fint* status, Fint* ierror), (request, flag, status, ierror))
{
    Ours ours(1, request);
    ours.complete_if_over();
    mpis(request, flag, status, ierror);
    ours.settle(ierror, *flag != 0 ? 1 : 0);
}

ORTHO_FORTRAN(testall, (Fint * count, Fint* requests, Fint* flag, Fint* statuses, Fint* ierror),
              (count, requests, flag, statuses, ierror))
{
    Ours ours(*count, requests);
    ours.look();
    mpis(count, requests, flag, statuses, ierror);
    ours.settle(ierror, *flag != 0 ? *count : 0);
}

ORTHO_FORTRAN(testany, (Fint * count, Fint* requests, Fint* index, Fint* flag, Fint* status, Fint* ierror),
              (count, requests, index, flag, status, ierror))
{
    Ours ours(*count, requests);
    ours.look();
    mpis(count, requests, index, flag, status, ierror);
    ours.settle(ierror, *flag != 0 ? 1 : 0, [&](Fint) { return *index - 1; });
}

ORTHO_FORTRAN(testsome,
              (Fint * incount, Fint* requests, Fint* outcount, Fint* indices, Fint* statuses, Fint* ierror),
              (incount, requests, outcount, indices, statuses, ierror))
{
    Ours ours(*incount, requests);
    ours.look();
    mpis(incount, requests, outcount, indices, statuses, ierror);
    ours.settle(ierror, *outcount, [&](Fint j) { return indices[j] - 1; });
}

// To wait for some of several is to test again and again, and so to call the function that tests.

ORTHO_FORTRAN(waitany, (Fint * count, Fint* requests, Fint* index, Fint* status, Fint* ierror),
              (count, requests, index, status, ierror))
{
    if (Ours(*count, requests).empty()) return mpis(count, requests, index, status, ierror);
    Fint flag = 0;
    Fint code = MPI_SUCCESS;
    for (;; sched_yield()) {
        testany(ORTHO_SAME_BINDING(waitany, testany), count, requests, index, &flag, status, &code);
        if (flag != 0 || code != MPI_SUCCESS) break;
    }
    give(ierror, code);
}

ORTHO_FORTRAN(waitsome,
              (Fint * incount, Fint* requests, Fint* outcount, Fint* indices, Fint* statuses, Fint* ierror),
              (incount, requests, outcount, indices, statuses, ierror))
{
    if (Ours(*incount, requests).empty()) return mpis(incount, requests, outcount, indices, statuses, ierror);
    Fint code = MPI_SUCCESS;
    for (;; sched_yield()) {
        testsome(ORTHO_SAME_BINDING(waitsome, testsome), incount, requests, outcount, indices, statuses,
                 &code);
        if (*outcount != 0 || code != MPI_SUCCESS) break;
    }
    give(ierror, code);
}

ORTHO_FORTRAN(request_get_status, (Fint * request, Fint* flag, Fint* status, Fint* ierror),
              (request, flag, status, ierror))
{
    Ours(1, request).look();
    mpis(request, flag, status, ierror);
}

ORTHO_FORTRAN(request_free, (Fint * request, Fint* ierror), (request, ierror))
{
    MPI_Request const handle = PMPI_Request_f2c(*request);
    if (const auto standing = pmpi::find_standing(handle)) pmpi::give_back(*standing, handle);
    mpis(request, ierror);
}

ORTHO_FORTRAN(cancel, (Fint * request, Fint* ierror), (request, ierror))
{
    const auto standing = pmpi::find_standing(PMPI_Request_f2c(*request));
    if (!standing) return mpis(request, ierror);
    give(ierror, pmpi::refuse_to_cancel(*standing));
}

ORTHO_FORTRAN(start, (Fint * request, Fint* ierror), (request, ierror))
{
    MPI_Request handle = PMPI_Request_f2c(*request);
    const auto standing = pmpi::find_standing(handle);
    if (!standing) return mpis(request, ierror);
    give(ierror, pmpi::start(*standing, &handle));
}

ORTHO_FORTRAN(startall, (Fint * count, Fint* requests, Fint* ierror), (count, requests, ierror))
{
    if (!pmpi::any_stands()) return mpis(count, requests, ierror);
    Fint code = MPI_SUCCESS;
    for (Fint i = 0; i < *count && code == MPI_SUCCESS; ++i)
        start(ORTHO_SAME_BINDING(startall, start), &requests[i], &code);
    give(ierror, code);
}
