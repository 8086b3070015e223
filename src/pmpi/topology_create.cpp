// SPDX-License-Identifier: BSD-3-Clause
// MPI's calls that make topologies, and those that tell about graphs.

#include <mpi.h>

#include <cstdint>

#include "mpi/interposer.hpp"
#include "mpiortho.h"
#include "pmpi/replace.hpp"

using namespace ortho;

namespace {

/// Do MPI's own lists lack gaps that ours have?
bool lacks_gaps(MPI_Comm comm)
{
    if (pmpi::mode() == pmpi::Mode::off) return false;
    const pmpi::InterposedTopology* const attribute = pmpi::attribute_of(comm);
    return attribute != nullptr && !attribute->is_grid && attribute->gaps;
}

/// Can ORTHO_Nodecart_create make this grid?  Otherwise MPI reports an error, or allows more (no dimensions).
bool is_grid(MPI_Comm comm, int d, const int dims[], const int periods[])
{
    int inter = 0;
    if (comm == MPI_COMM_NULL || PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS || inter != 0)
        return false;
    if (d < 1 || dims == nullptr || periods == nullptr) return false;
    int size = 0;
    if (PMPI_Comm_size(comm, &size) != MPI_SUCCESS) return false;
    std::int64_t points = 1;
    for (int k = 0; k < d; ++k) {
        if (dims[k] < 1 || dims[k] > size) return false;
        points *= dims[k];
        if (points > size) return false;
    }
    return true;
}

/// Called after a constructor of MPI's own on `parent`, which has returned `code`: makes objects for
/// non-blocking collectives, which must not wait for other processes, as agreement does.  `calls` is the
/// number to count.
int finish(pmpi::Counter& counter, MPI_Comm parent, int code, const MPI_Comm* made, std::uint64_t calls = 1)
{
    if (code != MPI_SUCCESS || pmpi::mode() == pmpi::Mode::off) return code;
    return pmpi::guarded(counter.function(), parent, [&] {
        pmpi::InterposedTopology* const attribute = pmpi::attribute_of(*made);
        if (attribute == nullptr) return code;
        const pmpi::Counter::Timing timing(counter, calls);
        attach(*attribute, parent, *made);
        return code;
    });
}

} // namespace

extern "C" {

int MPI_Dist_graph_create_adjacent(MPI_Comm comm_old, int indegree, const int sources[],
                                   const int sourceweights[], int outdegree, const int destinations[],
                                   const int destweights[], MPI_Info info, int reorder,
                                   MPI_Comm* comm_dist_graph)
{
    static pmpi::Counter counter("MPI_Dist_graph_create_adjacent");
    if (pmpi::mode() == pmpi::Mode::off)
        return PMPI_Dist_graph_create_adjacent(comm_old, indegree, sources, sourceweights, outdegree,
                                               destinations, destweights, info, reorder, comm_dist_graph);
    return pmpi::guarded(counter.function(), comm_old, [&] {
        const pmpi::Counter::Timing timing(counter);
        const pmpi::Named named(counter.function());
        const int code = ORTHO_Dist_graph_create_adjacent(
            comm_old, indegree, sources, sourceweights, outdegree, destinations, destweights, info,
            reorder != 0 && pmpi::may_reorder(), comm_dist_graph);
        if (code == MPI_SUCCESS) pmpi::attribute_of(*comm_dist_graph);
        return code;
    });
}

int MPI_Dist_graph_create(MPI_Comm comm_old, int n, const int sources[], const int degrees[],
                          const int destinations[], const int weights[], MPI_Info info, int reorder,
                          MPI_Comm* comm_dist_graph)
{
    static pmpi::Counter counter("MPI_Dist_graph_create");
    if (pmpi::mode() == pmpi::Mode::off)
        return PMPI_Dist_graph_create(comm_old, n, sources, degrees, destinations, weights, info, reorder,
                                      comm_dist_graph);
    return pmpi::guarded(counter.function(), comm_old, [&] {
        const pmpi::Counter::Timing timing(counter);
        const pmpi::Named named(counter.function());
        const int code = ORTHO_Dist_graph_create(comm_old, n, sources, degrees, destinations, weights, info,
                                                 reorder != 0 && pmpi::may_reorder(), comm_dist_graph);
        if (code == MPI_SUCCESS) pmpi::attribute_of(*comm_dist_graph);
        return code;
    });
}

int MPI_Dist_graph_neighbors_count(MPI_Comm comm, int* indegree, int* outdegree, int* weighted)
{
    if (lacks_gaps(comm)) return ORTHO_Dist_graph_neighbors_count(comm, indegree, outdegree, weighted);
    return PMPI_Dist_graph_neighbors_count(comm, indegree, outdegree, weighted);
}

int MPI_Dist_graph_neighbors(MPI_Comm comm, int maxindegree, int sources[], int sourceweights[],
                             int maxoutdegree, int destinations[], int destweights[])
{
    if (lacks_gaps(comm))
        return ORTHO_Dist_graph_neighbors(comm, maxindegree, sources, sourceweights, maxoutdegree,
                                          destinations, destweights);
    return PMPI_Dist_graph_neighbors(comm, maxindegree, sources, sourceweights, maxoutdegree, destinations,
                                     destweights);
}

/// Places ranks on nodes if reorder is set and the user says that the program accepts other ranks.
int MPI_Cart_create(MPI_Comm comm_old, int ndims, const int dims[], const int periods[], int reorder,
                    MPI_Comm* comm_cart)
{
    static pmpi::Counter counter("MPI_Cart_create");
    if (pmpi::mode() == pmpi::Mode::off)
        return PMPI_Cart_create(comm_old, ndims, dims, periods, reorder, comm_cart);
    return pmpi::guarded(counter.function(), comm_old, [&] {
        if (reorder == 0 || !pmpi::may_reorder() || !is_grid(comm_old, ndims, dims, periods))
            return finish(counter, comm_old,
                          PMPI_Cart_create(comm_old, ndims, dims, periods, reorder, comm_cart), comm_cart);
        const auto placed = [&] {
            const pmpi::Counter::Timing timing(counter);
            const pmpi::Named named(counter.function());
            return ORTHO_Nodecart_create(comm_old, ndims, dims, periods, reorder, comm_cart);
        };
        return finish(counter, comm_old, placed(), comm_cart, pmpi::Counter::same_call);
    });
}

int MPI_Graph_create(MPI_Comm comm_old, int nnodes, const int index[], const int edges[], int reorder,
                     MPI_Comm* comm_graph)
{
    static pmpi::Counter counter("MPI_Graph_create");
    return finish(counter, comm_old, PMPI_Graph_create(comm_old, nnodes, index, edges, reorder, comm_graph),
                  comm_graph);
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* newcomm)
{
    static pmpi::Counter counter("MPI_Comm_dup");
    return finish(counter, comm, PMPI_Comm_dup(comm, newcomm), newcomm);
}

int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm)
{
    static pmpi::Counter counter("MPI_Comm_dup_with_info");
    return finish(counter, comm, PMPI_Comm_dup_with_info(comm, info, newcomm), newcomm);
}

} // extern "C"
