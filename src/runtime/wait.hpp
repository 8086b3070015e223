// SPDX-License-Identifier: BSD-3-Clause
// The only way to wait.
#pragma once

#include <mpi.h>

#include <concepts>

#include "mpi/failure.hpp"
#include "mpi/process_failure.hpp"
#include "mpi/public_call.hpp"
#include "runtime/backoff.hpp"
#include "runtime/outstanding_operations.hpp"
#include "runtime/stall_report.hpp"

namespace ortho::runtime {

/// Polls until `done()`, or `done(backoff)`, returns true.  `done` must drive MPI, or tell the back-off that
/// it has not.  After a long time `report(watch)` is called.  Where processes may fail, `look_for_failures()`
/// is called now and then: it throws, or makes sure that `done` comes to an end.
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
        if (is_done) return; // at once: the rest may take long
        OutstandingOperations::progress(backoff);
        if (watch.is_time()) report(watch);
        if (failures.is_time()) look_for_failures();
    }
}

/// Waits inside a public call for other processes in this call.  Nothing under way needs an end, so this
/// throws if the others may never come.
template <class Done>
void wait_until(Done done)
{
    wait_until(
        done, [](const StallWatch& watch) { watch.report(); }, [] { mpi::check(mpi::loss_in_call()); });
}

/// Waits for an operation on `comm`; `done` may throw its errors.  If processes have failed, the operation
/// ends with such an error: on a communicator of the library by us, on the user's by MPI.
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

/// PMPI_Test, without a status.  In a simulated machine (bench/simgrid) it waits, since a look that finds
/// nothing takes no time there, or far too much; nobody may wait for two operations at once there.
inline int test(MPI_Request* request, int* flag)
{
#ifdef ORTHO_SIMULATED
    *flag = 1;
    return PMPI_Wait(request, MPI_STATUS_IGNORE);
#else
    return PMPI_Test(request, flag, MPI_STATUS_IGNORE);
#endif
}

/// Says who has raised the error of a collective on `comm`: an MPI with ULFM, if `comm` is the user's.
inline mpi::Failure::Raised raised_by(MPI_Comm comm)
{
    const mpi::PublicCall* const call = mpi::PublicCall::current();
    const bool is_users = mpi::processes_may_fail() && call != nullptr && call->comm() == comm;
    return is_users ? mpi::Failure::Raised::by_mpi : mpi::Failure::Raised::no;
}

/// Waits for a request of our own on `comm`; the request is null afterwards.
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
