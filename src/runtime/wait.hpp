// SPDX-License-Identifier: BSD-3-Clause
// The one way to wait.
#pragma once

#include <mpi.h>

#include <concepts>

#include "mpi/failure.hpp"
#include "mpi/process_failure.hpp"
#include "runtime/backoff.hpp"
#include "runtime/outstanding_operations.hpp"
#include "runtime/stall_report.hpp"

namespace ortho::runtime {

/// Poll until `done()`, or `done(backoff)`, returns true; it must drive MPI's progress, or tell the back-off
/// that it has not.  Once that has taken too long, `report(watch)` says so.  Where processes may fail,
/// `look_for_failures()` is called now and then: it throws, or sees to it that `done` has an end.
template <class Done, class Report, class Look>
void wait_until(Done done, Report report, Look look_for_failures)
{
    StallWatch watch;
    mpi::FailureWatch failures;
    for (Backoff backoff;; backoff.pause()) {
        bool is_done = false;
        if constexpr (std::invocable<Done, Backoff&>)
            is_done = done(backoff);
        else
            is_done = done();
        if (is_done) return; // at once if it is: the rest may be much
        OutstandingOperations::progress(backoff);
        if (watch.is_time()) report(watch);
        if (failures.is_time()) look_for_failures();
    }
}

/// The same inside a public call, for what other processes do there.  Nothing is under way that would need an
/// end: throws if they may never do it.
template <class Done>
void wait_until(Done done)
{
    wait_until(
        done, [](const StallWatch& watch) { watch.report(); }, [] { mpi::check(mpi::loss_in_call()); });
}

/// The same for what is under way on `comm`, which `done` may throw errors of.  If that is a communicator of
/// the library's own, it ends with such an error where processes have failed; on the user's MPI sees to that.
template <class Done>
void wait_until_on(MPI_Comm comm, Done done)
{
    wait_until(
        done, [](const StallWatch& watch) { watch.report(); },
        [=] {
            if (mpi::loss_in_call() != MPI_SUCCESS || mpi::loss_on(comm) != MPI_SUCCESS)
                mpi::end_all_on(comm);
        });
}

/// PMPI_Test, without a status.  In a simulated machine (bench/simgrid), where a look that finds nothing
/// takes no time or far too much, it waits: there nobody may wait for two operations at once.
inline int test(MPI_Request* request, int* flag)
{
#ifdef ORTHO_SIMULATED
    *flag = 1;
    return PMPI_Wait(request, MPI_STATUS_IGNORE);
#else
    return PMPI_Test(request, flag, MPI_STATUS_IGNORE);
#endif
}

/// Who has raised the error of a collective on `comm`?  An MPI with ULFM has, if that is the user's.
inline mpi::Failure::Raised raised_by(MPI_Comm comm)
{
    const mpi::PublicCall* const call = mpi::PublicCall::current();
    const bool is_users = mpi::processes_may_fail() && call != nullptr && call->comm() == comm;
    return is_users ? mpi::Failure::Raised::by_mpi : mpi::Failure::Raised::no;
}

/// Wait for a request of our own on `comm`, which is null then.
inline void wait(MPI_Request& request, MPI_Comm comm)
{
    wait_until_on(comm, [&] {
        int flag = 0;
        const int code = test(&request, &flag);
        if (code != MPI_SUCCESS) throw mpi::Failure(code, raised_by(comm));
        return flag != 0;
    });
}

} // namespace ortho::runtime
