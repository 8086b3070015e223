// SPDX-License-Identifier: BSD-3-Clause
// The one way to wait.

#include "runtime/wait.hpp"

#include <mpi.h> // which MPI?
#include <sched.h>

#include <atomic>
#include <mutex>
#include <string_view>
#include <utility>

#include "base/cores.hpp"
#include "base/environment.hpp"
#include "mpi/comm.hpp"
#include "mpi/error_handling.hpp"
#include "mpi/interposer.hpp"
#include "mpi/library_lifetime.hpp"
#include "mpi/which_mpi.hpp"

namespace ortho::runtime {

namespace {

/// Does every look of the MPI's that finds nothing give the core away?  To give it away once more costs
/// half as much again where processes share cores.
bool mpi_gives_way()
{
    if (!mpi::which_mpi().is_open_mpi) return false;
    // As the user says, or as the launcher finds that a node has more processes than it offers.  (MPI_T
    // tells, too, but its initialization changes the thread level that Open MPI 4 reports.)
    auto says = base::environment("OMPI_MCA_mpi_yield_when_idle");
    if (!says) says = base::environment("OMPI_MCA_mpi_oversubscribe");
    return says && std::string_view("1tTyYeE").find(says->front()) != std::string_view::npos;
}

/// How often to look at memory before giving the core away.  Who has told the MPI to give it away in each look
/// knows that others need it: two processes that the system has put on one core wait for each other's looks.
unsigned free_looks()
{
    constexpr unsigned with_cores_to_spare = 2000;
    constexpr unsigned without = 1;
    const bool has_own_core = base::processes_here() > 0 && base::processes_a_core() == 1 && !mpi_gives_way();
    return has_own_core ? with_cores_to_spare : without;
}

/// MPI is driven once in so many looks at shared memory: that costs as much as many of these.
constexpr unsigned looks_a_drive = 32;

/// A probe of MPI_COMM_SELF does not: MPICH looks into a list of its own then.  So it is of a message to
/// ourselves on MPI_COMM_WORLD, which hardly anybody sends.
void drive()
{
    constexpr int largest_tag = 32767; // that every MPI has
    int flag = 0;
    // The user may revoke MPI_COMM_WORLD, and must hear nothing of it here.
    if (mpi::has_world() && !mpi::processes_may_fail()) {
        static const int me = mpi::world().rank;
        mpi::check(PMPI_Iprobe(me, largest_tag, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
        return;
    }
    // A program with sessions has no such communicator.  Then it is a look at a message that never comes.
    static std::mutex mutex;
    static MPI_Request never = MPI_REQUEST_NULL;
    const std::unique_lock lock(mutex, std::try_to_lock);
    if (!lock) return; // somebody is at it
    if (never == MPI_REQUEST_NULL) {
        mpi::check(PMPI_Irecv(nullptr, 0, MPI_BYTE, 0, largest_tag, mpi::self_channel(), &never));
        mpi::at_finalize([] {
            PMPI_Cancel(&never);
            PMPI_Wait(&never, MPI_STATUS_IGNORE);
        });
    }
    mpi::check(PMPI_Test(&never, &flag, MPI_STATUS_IGNORE));
}

} // namespace

void Backoff::pause()
{
    static const unsigned free = free_looks();
    static const bool mpi_does_it = mpi_gives_way();
    ++looks_;
    if (std::exchange(at_memory_, false)) {
        // Others may wait for what only this process's MPI can move on.
        if (looks_ % looks_a_drive == 0) drive();
    } else if (mpi_does_it) {
        return;
    }
    if (looks_ > free) sched_yield();
}

void Backoff::look_once()
{
    static std::atomic<unsigned> looks{0};
    if (looks.fetch_add(1, std::memory_order_relaxed) % looks_a_drive == looks_a_drive - 1) drive();
}

} // namespace ortho::runtime

extern "C" int ortho_wait_until(const char* function, int (*done)(void* what), void* what)
{
    return ortho::mpi::guard(function, [&] { ortho::runtime::wait_until([&] { return done(what) != 0; }); });
}
