// SPDX-License-Identifier: BSD-3-Clause
// ORTHO_Barrier in its three forms.

#include "collectives/forms.hpp"

using namespace ortho;

namespace {

struct Barrier {
    MPI_Comm comm;

    ORTHO_ON_MPI(PMPI_Barrier, PMPI_Ibarrier, PMPI_Barrier_init, comm)
    void keep(collectives::Kept&) {}

    engine::Call describe(const collectives::Arguments&) const
    {
        return {.collective = planner::Collective::barrier, .send = {}, .receive = {}};
    }
};

} // namespace

extern "C" {

int ORTHO_Barrier(MPI_Comm comm) { return collectives::blocking("ORTHO_Barrier", Barrier{comm}); }

int ORTHO_Ibarrier(MPI_Comm comm, ORTHO_Request* request)
{
    return collectives::nonblocking("ORTHO_Ibarrier", Barrier{comm}, request);
}

int ORTHO_Barrier_init(MPI_Comm comm, MPI_Info info, ORTHO_Request* request)
{
    return collectives::persistent("ORTHO_Barrier_init", Barrier{comm}, info, request);
}

} // extern "C"
