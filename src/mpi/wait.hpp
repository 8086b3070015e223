// SPDX-License-Identifier: BSD-3-Clause
// The one way to wait.
#pragma once

#include <mpi.h>

#include <atomic>

#include "mpi/failure.hpp"
#include "mpi/stall.hpp"

namespace ortho::mpi {

/// Between two looks at what is waited for: nothing at first, then giving the core away, unless the MPI
/// has done so during the look.  Where a
/// node has more processes than cores the core goes at once, since whoever is waited for may need
/// it: MPICH's own blocking calls, which spin, take a scheduler's time slice a process there.
class Patience {
public:
    void pause();

    /// Of a look that finds nothing: it was at shared memory, and has not driven MPI.
    static void look_aside() noexcept { aside_ = true; }

private:
    static inline thread_local bool aside_ = false;
    unsigned looks_ = 0;
};

/// What else must go on while somebody waits: set by the engine once there is something.  Whoever
/// waits for another process may be what a third one's operation waits for.
extern std::atomic<void (*)()> progress_of_the_rest;

/// Poll until `done()` returns true; it must drive MPI's progress.  Once that has taken too long,
/// `report(watch)` says so.
template <class Done, class Report>
void wait_until(Done done, Report report)
{
    StallWatch watch;
    for (Patience patience;; patience.pause()) {
        if (done()) return; // at once if it is: the rest may be much
        if (auto* const progress = progress_of_the_rest.load(std::memory_order_acquire)) progress();
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

/// Wait for a request of our own.
inline void wait(MPI_Request request)
{
    wait_until([&] {
        int flag = 0;
        check(test(&request, &flag));
        return flag != 0;
    });
}

} // namespace ortho::mpi
