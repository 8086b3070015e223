// SPDX-License-Identifier: BSD-3-Clause
// The one way to wait.

#include "mpi/wait.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>

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
int free_looks()
{
    constexpr int with_cores_to_spare = 2000;
    constexpr int without = 1;
    const int processes = processes_here();
    return processes > 0 && processes <= cores_here() ? with_cores_to_spare : without;
}

} // namespace

std::atomic<void (*)()> progress_of_the_rest{nullptr};

int processes_a_core() { return (std::max(1, processes_here()) - 1) / cores_here() + 1; }

void Patience::pause()
{
    static const int free = free_looks();
    if (looks_ < free)
        ++looks_;
    else
        sched_yield();
}

} // namespace ortho::mpi
