// SPDX-License-Identifier: BSD-3-Clause
// The one way to wait.
#pragma once

#include <mpi.h>

#include <concepts>

#include "mpi/backoff.hpp"
#include "mpi/failure.hpp"
#include "mpi/outstanding_operations.hpp"
#include "mpi/stall_report.hpp"

namespace ortho::mpi {

/// Poll until `done()`, or `done(backoff)`, returns true; it must drive MPI's progress, or tell the back-off
/// that it has not.  Once that has taken too long, `report(watch)` says so.
template <class Done, class Report>
void wait_until(Done done, Report report)
{
    StallWatch watch;
    for (Backoff backoff;; backoff.pause()) {
        bool is_done = false;
        if constexpr (std::invocable<Done, Backoff&>)
            is_done = done(backoff);
        else
            is_done = done();
        if (is_done) return; // at once if it is: the rest may be much
        Outstanding::progress(backoff);
        if (watch.is_time()) report(watch);
    }
}

/// The same inside a public call, for what other processes do there.
template <class Done>
void wait_until(Done done)
{
    wait_until(done, [](const StallWatch& watch) { watch.report(); });
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

/// Wait for a request of our own, which is null then.
inline void wait(MPI_Request& request)
{
    wait_until([&] {
        int flag = 0;
        check(test(&request, &flag));
        return flag != 0;
    });
}

} // namespace ortho::mpi
