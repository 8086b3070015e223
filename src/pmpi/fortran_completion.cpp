// SPDX-License-Identifier: BSD-3-Clause
// Fortran calls on requests, among which are proxies of our operations.

#include <mpi.h>

#include <cstddef>
#include <vector>

#include "pmpi/fortran.hpp"
#include "pmpi/proxy_request.hpp"
#include "pmpi/unify.hpp"

using namespace ortho;
using namespace ortho::pmpi::fortran;

namespace {

/// The size of a status in both bindings, which have the layout of C.
constexpr int fints_a_status = sizeof(MPI_Status) / sizeof(Fint);

Fint* statuses_ignore()
{
#ifdef OPEN_MPI
    return MPI_F_STATUSES_IGNORE;
#else
    return reinterpret_cast<Fint*>(MPI_F08_STATUSES_IGNORE); // of mpi_f08; only that binding comes here
#endif
}

void set_error(Fint* status, int error)
{
    MPI_Status in_c;
    if (PMPI_Status_f2c(status, &in_c) != MPI_SUCCESS) return;
    in_c.MPI_ERROR = error;
    PMPI_Status_c2f(&in_c, status);
}

/// The operations of ours among a call's requests.  Reads no request if there are no proxies at all.
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

    /// After MPI's call, which completed request i, or none if i is negative.
    void settle_one(Fint* ierror, Fint i)
    {
        if (ours_.empty()) return;
        settle();
        const int error = i >= 0 ? ours_.take_error(i) : MPI_SUCCESS;
        // An error from MPI's call stays.
        if (error != MPI_SUCCESS && *ierror == MPI_SUCCESS) give(ierror, error);
    }
    /// After MPI's call, which completed the requests `index(j)`, j = 0 to n - 1.
    template <class Index>
    void settle_several(Fint* ierror, Fint n, Fint* statuses, Index index)
    {
        if (ours_.empty()) return;
        settle();
        const int code = ours_.errors_in_statuses(n, index, *ierror, [&](int j, int error) {
            if (statuses != statuses_ignore()) set_error(statuses + j * fints_a_status, error);
        });
        give(ierror, code);
    }
    void settle_several(Fint* ierror, Fint n, Fint* statuses)
    {
        settle_several(ierror, n, statuses, [](Fint j) { return j; });
    }

private:
    void settle()
    {
        handles_ = in_c(static_cast<Fint>(handles_.size()));
        ours_.settle(handles_.data());
        in_fortran();
    }

    std::vector<MPI_Request> in_c(Fint n) const
    {
        std::vector<MPI_Request> handles;
        for (Fint i = 0; i < n; ++i) handles.push_back(PMPI_Request_f2c(requests_[i]));
        return handles;
    }
    /// Writes the handles that have changed.
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
    ours.settle_one(ierror, 0);
}

ORTHO_FORTRAN(waitall, (Fint * count, Fint* requests, Fint* statuses, Fint* ierror),
              (count, requests, statuses, ierror))
{
    Ours ours(*count, requests);
    ours.complete();
    mpis(count, requests, statuses, ierror);
    ours.settle_several(ierror, *count, statuses);
}

ORTHO_FORTRAN(test, (Fint * request, Fint* flag, Fint* status, Fint* ierror), (request, flag, status, ierror))
{
    Ours ours(1, request);
    ours.complete_if_over();
    mpis(request, flag, status, ierror);
    ours.settle_one(ierror, *flag != 0 ? 0 : -1);
}

ORTHO_FORTRAN(testall, (Fint * count, Fint* requests, Fint* flag, Fint* statuses, Fint* ierror),
              (count, requests, flag, statuses, ierror))
{
    Ours ours(*count, requests);
    ours.look();
    mpis(count, requests, flag, statuses, ierror);
    ours.settle_several(ierror, *flag != 0 ? *count : 0, statuses);
}

ORTHO_FORTRAN(testany, (Fint * count, Fint* requests, Fint* index, Fint* flag, Fint* status, Fint* ierror),
              (count, requests, index, flag, status, ierror))
{
    Ours ours(*count, requests);
    ours.look();
    mpis(count, requests, index, flag, status, ierror);
    ours.settle_one(ierror, *flag != 0 ? *index - 1 : -1);
}

ORTHO_FORTRAN(testsome,
              (Fint * incount, Fint* requests, Fint* outcount, Fint* indices, Fint* statuses, Fint* ierror),
              (incount, requests, outcount, indices, statuses, ierror))
{
    Ours ours(*incount, requests);
    ours.look();
    mpis(incount, requests, outcount, indices, statuses, ierror);
    ours.settle_several(ierror, *outcount, statuses, [&](Fint j) { return indices[j] - 1; });
}

// Waiting for some of several requests is testing again and again; so these call the testing function.

ORTHO_FORTRAN(waitany, (Fint * count, Fint* requests, Fint* index, Fint* status, Fint* ierror),
              (count, requests, index, status, ierror))
{
    if (Ours(*count, requests).empty()) return mpis(count, requests, index, status, ierror);
    Fint flag = 0;
    Fint code = MPI_SUCCESS;
    const int driven = pmpi::look_until("MPI_Waitany", [&] {
        testany(ORTHO_SAME_BINDING(waitany, testany), count, requests, index, &flag, status, &code);
        return flag != 0 || code != MPI_SUCCESS;
    });
    give(ierror, driven != MPI_SUCCESS ? driven : code);
}

ORTHO_FORTRAN(waitsome,
              (Fint * incount, Fint* requests, Fint* outcount, Fint* indices, Fint* statuses, Fint* ierror),
              (incount, requests, outcount, indices, statuses, ierror))
{
    if (Ours(*incount, requests).empty()) return mpis(incount, requests, outcount, indices, statuses, ierror);
    Fint code = MPI_SUCCESS;
    const int driven = pmpi::look_until("MPI_Waitsome", [&] {
        testsome(ORTHO_SAME_BINDING(waitsome, testsome), incount, requests, outcount, indices, statuses,
                 &code);
        return *outcount != 0 || code != MPI_SUCCESS;
    });
    give(ierror, driven != MPI_SUCCESS ? driven : code);
}

ORTHO_FORTRAN(request_get_status, (Fint * request, Fint* flag, Fint* status, Fint* ierror),
              (request, flag, status, ierror))
{
    Ours(1, request).look();
    mpis(request, flag, status, ierror);
}

ORTHO_FORTRAN(request_get_status_all,
              (Fint * count, Fint* requests, Fint* flag, Fint* statuses, Fint* ierror),
              (count, requests, flag, statuses, ierror))
{
    Ours(*count, requests).look();
    mpis(count, requests, flag, statuses, ierror);
}

ORTHO_FORTRAN(request_get_status_any,
              (Fint * count, Fint* requests, Fint* index, Fint* flag, Fint* status, Fint* ierror),
              (count, requests, index, flag, status, ierror))
{
    Ours(*count, requests).look();
    mpis(count, requests, index, flag, status, ierror);
}

ORTHO_FORTRAN(request_get_status_some,
              (Fint * incount, Fint* requests, Fint* outcount, Fint* indices, Fint* statuses, Fint* ierror),
              (incount, requests, outcount, indices, statuses, ierror))
{
    Ours(*incount, requests).look();
    mpis(incount, requests, outcount, indices, statuses, ierror);
}

ORTHO_FORTRAN(request_free, (Fint * request, Fint* ierror), (request, ierror))
{
    MPI_Request handle = PMPI_Request_f2c(*request);
    auto proxy = pmpi::find_proxy(handle);
    if (!proxy) return mpis(request, ierror);
    give(ierror, pmpi::give_back(proxy, &handle));
    *request = PMPI_Request_c2f(handle);
}

ORTHO_FORTRAN(op_free, (Fint * op, Fint* ierror), (op, ierror))
{
    if (pmpi::mode() != pmpi::Mode::unify) return mpis(op, ierror);
    MPI_Op handle = PMPI_Op_f2c(*op);
    give(ierror, pmpi::free_op(&handle));
    *op = PMPI_Op_c2f(handle);
}

ORTHO_FORTRAN(cancel, (Fint * request, Fint* ierror), (request, ierror))
{
    const auto proxy = pmpi::find_proxy(PMPI_Request_f2c(*request));
    if (!proxy) return mpis(request, ierror);
    give(ierror, pmpi::refuse_to_cancel(*proxy));
}

ORTHO_FORTRAN(start, (Fint * request, Fint* ierror), (request, ierror))
{
    MPI_Request handle = PMPI_Request_f2c(*request);
    const auto proxy = pmpi::find_proxy(handle);
    if (!proxy) return mpis(request, ierror);
    give(ierror, pmpi::start(*proxy, &handle));
}

ORTHO_FORTRAN(startall, (Fint * count, Fint* requests, Fint* ierror), (count, requests, ierror))
{
    if (!pmpi::any_stands()) return mpis(count, requests, ierror);
    Fint code = MPI_SUCCESS;
    for (Fint i = 0; i < *count && code == MPI_SUCCESS; ++i)
        start(ORTHO_SAME_BINDING(startall, start), &requests[i], &code);
    give(ierror, code);
}
