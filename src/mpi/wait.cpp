// SPDX-License-Identifier: BSD-3-Clause
// The one way to wait.

#include "mpi/wait.hpp"

#include <mpi.h> // which MPI?
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <string_view>
#include <utility>

#include "base/environment.hpp"

namespace ortho::mpi {

namespace {

/// Processes of this job on this node, as the launcher says; 0 if it does not.
int processes_here()
{
    for (const char* name : {"MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE", "PMIX_LOCAL_SIZE",
                             "MV2_COMM_WORLD_LOCAL_SIZE", "SLURM_NTASKS_PER_NODE"}) {
        if (const auto number = base::environment_number(name)) return *number;
    }
    return 0;
}

int cores_here() { return std::max(1, static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN))); }

/// How often to look before giving the core away.
unsigned free_looks()
{
    constexpr unsigned with_cores_to_spare = 2000;
    constexpr unsigned without = 1;
    const int processes = processes_here();
    return processes > 0 && processes <= cores_here() ? with_cores_to_spare : without;
}

/// Does every look of the MPI's that finds nothing give the core away?  To give it away once more costs
/// half as much again where processes share cores.
bool mpi_gives_way()
{
#ifdef OPEN_MPI
    // As the user says, or as the launcher finds that a node has more processes than it offers.  (MPI_T tells, too, but
    // its initialization changes the thread level that Open MPI 4 reports.)
    auto says = base::environment("OMPI_MCA_mpi_yield_when_idle");
    if (!says) says = base::environment("OMPI_MCA_mpi_oversubscribe");
    return says && std::string_view("1tTyYeE").find(says->front()) != std::string_view::npos;
#else
    return false;
#endif
}

/// MPI is driven once in so many looks at shared memory: that costs as much as many of these.
constexpr unsigned looks_a_drive = 32;

/// A probe of MPI_COMM_SELF does not: MPICH looks into a list of its own then.  So it is of a message to ourselves on
/// MPI_COMM_WORLD, which hardly anybody sends.
void drive()
{
    static const int me = [] {
        int rank = 0;
        check(PMPI_Comm_rank(MPI_COMM_WORLD, &rank));
        return rank;
    }();
    constexpr int largest_tag = 32767; // that every MPI has
    int flag = 0;
    check(PMPI_Iprobe(me, largest_tag, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
}

} // namespace

std::atomic<void (*)()> progress_of_the_rest{nullptr};

int processes_a_core() { return (std::max(1, processes_here()) - 1) / cores_here() + 1; }

void Patience::pause()
{
    static const unsigned free = free_looks();
    static const bool mpi_does_it = mpi_gives_way();
    ++looks_;
    if (std::exchange(aside_, false)) {
        // Others may wait for what only this process's MPI can move on.
        if (looks_ % looks_a_drive == 0) drive();
    } else if (mpi_does_it) {
        return;
    }
    if (looks_ > free) sched_yield();
}

} // namespace ortho::mpi
