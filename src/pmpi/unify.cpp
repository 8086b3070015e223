// SPDX-License-Identifier: BSD-3-Clause
// ORTHO_PMPI=unify: MPI's collectives mean the neighborhood on a communicator with a graph.
// ORTHO_PMPI=dense: the library's exchanges between all processes, in place of MPI's.

#include "pmpi/unify.hpp"

#include <memory>
#include <mutex>

#include "mpi/which_mpi.hpp"
#include "mpiortho.h"
#include "pmpi/init_finalize.hpp"

namespace ortho::pmpi {

namespace {

extern "C" int ortho_free_base(MPI_Comm, int, void* value, void*)
{
    MPI_Comm* const base = static_cast<MPI_Comm*>(value);
    PMPI_Comm_free(base);
    delete base;
    return MPI_SUCCESS;
}

/// The key of our attribute of communicators with a graph.  A duplicate makes its own.
int base_key()
{
    static std::mutex making;
    static int key = MPI_KEYVAL_INVALID;
    const std::lock_guard lock(making);
    if (key == MPI_KEYVAL_INVALID &&
        PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, ortho_free_base, &key, nullptr) == MPI_SUCCESS)
        at_end([] {
            const std::lock_guard end(making);
            PMPI_Comm_free_keyval(&key);
        });
    return key;
}

/// Finds the communicator without the graph.
int find_base(MPI_Comm graph, MPI_Comm* base)
{
    const int key = base_key();
    if (key == MPI_KEYVAL_INVALID) return MPI_SUCCESS;
    void* value = nullptr;
    int found = 0;
    if (const int code = PMPI_Comm_get_attr(graph, key, &value, &found); code != MPI_SUCCESS) return code;
    if (found == 0) {
        auto made = std::make_unique<MPI_Comm>(MPI_COMM_NULL);
        if (const int code = ORTHO_Comm_base(graph, made.get()); code != MPI_SUCCESS) return code;
        mpi::return_errors(*made);
        if (const int code = PMPI_Comm_set_attr(graph, key, made.get()); code != MPI_SUCCESS) return code;
        value = made.release(); // the delete function owns it now
    }
    *base = *static_cast<MPI_Comm*>(value);
    return MPI_SUCCESS;
}

} // namespace

BlockNumbers::BlockNumbers(MPI_Comm comm, const void* sendbuf)
{
    if (const InterposedTopology* const graph = graph_meant_by(comm)) {
        sent = graph->targets;
        received = graph->sources;
    } else {
        int partners = 0;
        if (comm != MPI_COMM_NULL) {
            int is_inter = 0;
            PMPI_Comm_test_inter(comm, &is_inter);
            (is_inter != 0 ? PMPI_Comm_remote_size : PMPI_Comm_size)(comm, &partners);
        }
        sent = received = static_cast<std::size_t>(partners);
    }
    if (sendbuf == MPI_IN_PLACE) sent = 0;
}

int find_full_comm(MPI_Comm comm, MPI_Comm* full)
{
    *full = MPI_COMM_NULL;
    // MPI reports the error; key() begins the interposer's life.
    if (comm == MPI_COMM_NULL || pmpi::key() == MPI_KEYVAL_INVALID) return MPI_SUCCESS;
    int topology = ORTHO_INTER;
    if (const int code = ORTHO_Topo_test(comm, &topology); code != MPI_SUCCESS) return code;
    if (topology == ORTHO_GRAPH) return find_base(comm, full);
    if (topology == ORTHO_FULL) *full = comm; // a grid is a name to the library
    return MPI_SUCCESS;
}

} // namespace ortho::pmpi
