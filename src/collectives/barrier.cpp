// SPDX-License-Identifier: BSD-3-Clause
// ORTHO_Barrier.

#include "collectives/arguments.hpp"
#include "mpiortho.h"

using namespace ortho;
using planner::Collective;

extern "C" int ORTHO_Barrier(MPI_Comm comm)
{
    if (topology::collective_topology(comm) != ORTHO_GRAPH) return PMPI_Barrier(comm);
    return mpi::guard("ORTHO_Barrier", comm, [&] {
        const collectives::Arguments arguments(comm);
        arguments.run({.collective = Collective::barrier, .send = {}, .receive = {}});
    });
}
