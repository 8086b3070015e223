// SPDX-License-Identifier: BSD-3-Clause
// The launcher of another MPI.

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
    const Launcher& other = which_mpi().is_open_mpi ? of_mpich : of_open_mpi;
    if (world().size != 1 || base::environment(other.rank) != "0") return;
    const auto size = base::environment_number(other.size);
    if (!size || *size == 1) return;
    warn(base::text("this program is built with ", other.ours, ", but the mpiexec of ", other.of,
                    " has started ", *size, " processes, each of which runs alone; use the mpiexec of ",
                    other.ours));
}

} // namespace ortho::mpi
