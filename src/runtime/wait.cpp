// SPDX-License-Identifier: BSD-3-Clause
// The only way to wait.

#include "runtime/wait.hpp"

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

/// Does each look of the MPI that finds nothing give the core away?  To give it away once more costs half as
/// much again where processes share cores.
bool mpi_gives_way()
{
    if (!mpi::which_mpi().is_open_mpi) return false;
    // The user says it, or the launcher, if a node has more processes than slots.  (MPI_T tells, too, but its
    // initialization changes the thread level that Open MPI 4 reports.)
    auto says = base::environment("OMPI_MCA_mpi_yield_when_idle");
    if (!says) says = base::environment("OMPI_MCA_mpi_oversubscribe");
    return says && std::string_view("1tTyYeE").find(says->front()) != std::string_view::npos;
}

/// The number of looks at memory before the core is given away.  If the user makes the MPI give it away in
/// each look, others need the core: two processes on one core wait for each other's looks.
unsigned free_looks()
{
    constexpr unsigned with_cores_to_spare = 2000;
    constexpr unsigned without = 1;
    const bool has_own_core = base::processes_here() > 0 && base::processes_a_core() == 1 && !mpi_gives_way();
    return has_own_core ? with_cores_to_spare : without;
}

/// One in so many looks at shared memory drives MPI, which costs as much as many looks.
constexpr unsigned looks_a_drive = 32;

/// Drives MPI by a probe for a message to ourselves on MPI_COMM_WORLD, which hardly anybody sends.  A probe
/// of MPI_COMM_SELF drives nothing in MPICH, which only looks into a list.
void drive()
{
    constexpr int largest_tag = 32767; // every MPI allows this tag
    int flag = 0;
    // The user may revoke MPI_COMM_WORLD; this function must not report that.
    if (mpi::has_world() && !mpi::processes_may_fail()) {
        static const int me = mpi::world().rank;
        mpi::check(PMPI_Iprobe(me, largest_tag, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
        return;
    }
    // A program with sessions has no MPI_COMM_WORLD.  Then test a receive of a message that never comes.
    static std::mutex mutex;
    static MPI_Request never = MPI_REQUEST_NULL;
    const std::unique_lock lock(mutex, std::try_to_lock);
    if (!lock) return; // another thread drives
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

[[gnu::hot]] void Backoff::pause()
{
    static const unsigned free = free_looks();
    static const bool mpi_does_it = mpi_gives_way();
    ++looks_;
    if (std::exchange(at_memory_, false)) {
        // Others may wait for messages that only this process's MPI can move.
        if (looks_ % looks_a_drive == 0) drive();
    } else if (mpi_does_it) {
        return;
    }
    if (looks_ > free) sched_yield();
}

[[gnu::hot]] void Backoff::look_once()
{
    static std::atomic<unsigned> looks{0};
    if (looks.fetch_add(1, std::memory_order_relaxed) % looks_a_drive == looks_a_drive - 1) drive();
}

} // namespace ortho::runtime

extern "C" int ortho_wait_until(const char* function, int (*done)(void* what), void* what)
{
    return ortho::mpi::guard(function, [&] { ortho::runtime::wait_until([&] { return done(what) != 0; }); });
}
