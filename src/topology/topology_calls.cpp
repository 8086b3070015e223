// SPDX-License-Identifier: BSD-3-Clause
// The public calls about the topology itself: its kind, the full communicator below it, its duplicate.

#include <mpi.h>

#include "mpi/comm.hpp"
#include "mpi/error_handling.hpp"
#include "mpi/interposer.hpp"
#include "mpi/public_call.hpp"
#include "mpiortho.h"
#include "runtime/internal_collectives.hpp"
#include "topology/agreement.hpp"
#include "topology/graph.hpp"

namespace {

using namespace ortho;
using mpi::guard;
using mpi::require_result;

/// An intra-communicator of the local group.  Collective over both groups.
mpi::Comm local_side(MPI_Comm inter)
{
    // MPI makes communicators of an inter-communicator for both groups at once only.  So merge the groups,
    // and split the result.  The ranks of the groups' first processes in it tell the groups apart.
    runtime::nonblocking_barrier(inter);
    MPI_Comm comm = MPI_COMM_NULL;
    mpi::check_users(PMPI_Intercomm_merge(inter, 0, &comm));
    const mpi::Comm merged(comm);
    const int color = mpi::translate({0}, mpi::Group(inter).get(), mpi::Group(merged.get()).get()).front();
    MPI_Comm side = MPI_COMM_NULL;
    mpi::check_users(PMPI_Comm_split(merged.get(), color, mpi::rank_of(inter), &side));
    return mpi::Comm(side);
}

} // namespace

extern "C" {

int ORTHO_Topo_test(MPI_Comm comm, int* topology)
{
    return guard("ORTHO_Topo_test", comm, [&] {
        mpi::require_comm(comm, "comm");
        require_result(topology, "topology");
        *topology = topology::topology_kind(comm);
    });
}

int ORTHO_Comm_base(MPI_Comm comm, MPI_Comm* basecomm)
{
    return guard("ORTHO_Comm_base", comm, [&] {
        mpi::require_comm(comm, "comm");
        topology::check_and_meet(comm, [&] { require_result(basecomm, "basecomm"); });
        mpi::Comm base = mpi::is_inter(comm) ? local_side(comm)
                                             : runtime::bare_copy(comm, runtime::HaveMet::yes);
        mpi::copy_errhandler(comm, base.get());
        *basecomm = base.release();
    });
}

int ORTHO_Comm_dup(MPI_Comm comm, MPI_Comm* newcomm)
{
    return guard("ORTHO_Comm_dup", comm, [&] {
        mpi::require_comm(comm, "comm");
        topology::check_and_meet(comm, [&] { require_result(newcomm, "newcomm"); });
        const bool has_graph = topology::topology_kind(comm) == ORTHO_GRAPH;
        MPI_Comm copy = MPI_COMM_NULL;
        mpi::check_users(PMPI_Comm_dup(comm, &copy));
        mpi::Comm made(copy);
        if (has_graph) topology::attach_new(comm, copy);
        *newcomm = made.release();
    });
}

void ortho_attach(MPI_Comm parent, MPI_Comm comm)
{
    try {
        topology::attach_new(parent, comm);
    } catch (...) { // the next call finds the error again
    }
}

bool ortho_find_neighbors(MPI_Comm comm, mpi::Neighbors* found)
{
    // In a program of sessions alone the communicator of a public call tells that MPI is there.
    const mpi::PublicCall call("MPI_Topo_test", comm);
    try {
        mpi::require_mpi();
        const auto graph = topology::neighbors_of(comm);
        const std::lock_guard lock(graph->mutex);
        const std::shared_ptr<const topology::GraphInfo>& known = graph->graph_info;
        const bool is_attached = graph->attached() || known->stays_detached;
        *found = {{known, &known->lists}, known->may_have_gaps, known->may_have_repeats, is_attached};
        return true;
    } catch (...) {
        return false;
    }
}

} // extern "C"
