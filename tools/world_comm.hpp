// SPDX-License-Identifier: BSD-3-Clause
// The processes that measure.
#pragma once

#include <mpi.h>

namespace bench {

/// A duplicate of MPI_COMM_WORLD, freed with this object.
struct World {
    MPI_Comm comm = MPI_COMM_NULL;
    int rank = 0;
    int size = 0;

    World()
    {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Comm_rank(comm, &rank);
        MPI_Comm_size(comm, &size);
    }
    World(const World&) = delete;
    World& operator=(const World&) = delete;
    ~World() { MPI_Comm_free(&comm); }
};

} // namespace bench
