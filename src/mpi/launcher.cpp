// SPDX-License-Identifier: BSD-3-Clause
// The launcher of another MPI, or srun where it speaks to another.

#include "mpi/launcher.hpp"

#include <mpi.h>

#include "base/environment.hpp"
#include "base/text.hpp"
#include "mpi/library_lifetime.hpp"
#include "mpi/warning.hpp"
#include "mpi/which_mpi.hpp"

namespace ortho::mpi {

namespace {

/// A launcher's variables in the environment.
struct Launcher {
    const char* of;   ///< the launcher's MPI
    const char* size; ///< size of the world that it has started
    const char* rank;
    const char* ours;
};

constexpr Launcher of_mpich{"MPICH", "PMI_SIZE", "PMI_RANK", "Open MPI"};
constexpr Launcher of_open_mpi{"Open MPI", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "MPICH"};

} // namespace

void look_at_launcher()
{
    if (world().size != 1) return;
    const bool is_open_mpi = which_mpi().is_open_mpi;
    const Launcher& other = is_open_mpi ? of_mpich : of_open_mpi;
    const auto size = base::environment_number(other.size);
    const auto tasks = base::environment_number("SLURM_STEP_NUM_TASKS");
    const auto is_first = [](const char* rank) { return base::environment(rank) == "0"; };
    if (size.value_or(1) > 1 && size != tasks) {
        if (is_first(other.rank))
            warn(base::text("this program is built with ", other.ours, ", but the mpiexec of ", other.of,
                            " has started ", *size,
                            " processes, each of which runs alone; use the mpiexec of ", other.ours));
    } else if (tasks.value_or(1) > 1 && is_first("SLURM_PROCID") &&
               !base::environment((is_open_mpi ? of_open_mpi : of_mpich).size)) {
        warn(base::text("this program is built with ", other.ours, ", and srun has started ", *tasks,
                        " processes, each of which runs alone; srun --mpi=list prints the ways to start it, "
                        "and MPICH needs pmi2, Open MPI pmix"));
    }
}

} // namespace ortho::mpi
