// SPDX-License-Identifier: BSD-3-Clause
// ORTHO_Scan, ORTHO_Exscan: for full communicators only.

#include "mpi/error.hpp"
#include "mpiortho.h"
#include "topology/graph.hpp"

using namespace ortho;

namespace {

[[noreturn]] void refuse(MPI_Comm comm)
{
    mpi::require_comm(comm, "comm");
    topology::carried_topology(comm); // finds out if it is no communicator at all
    base::fail(base::ErrorKind::undefined, "comm",
               "prefix reductions have a meaning on full communicators only");
}

} // namespace

extern "C" {

int ORTHO_Scan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    if (topology::collective_topology(comm) == ORTHO_FULL)
        return PMPI_Scan(sendbuf, recvbuf, count, datatype, op, comm);
    return mpi::guard("ORTHO_Scan", comm, [&] { refuse(comm); });
}

int ORTHO_Exscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                 MPI_Comm comm)
{
    if (topology::collective_topology(comm) == ORTHO_FULL)
        return PMPI_Exscan(sendbuf, recvbuf, count, datatype, op, comm);
    return mpi::guard("ORTHO_Exscan", comm, [&] { refuse(comm); });
}

} // extern "C"
