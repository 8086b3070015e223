// SPDX-License-Identifier: BSD-3-Clause
// Lists of neighbors on their way in and out of the public calls.
#pragma once

#include <mpi.h>

#include <vector>

#include "mpi/comm.hpp"
#include "topology/graph.hpp"

namespace ortho::topology {

/// Throws unless the weights of n edges are there and not negative.  Those of gaps
/// (ranks[i] == MPI_PROC_NULL) are not looked at; ranks may be null.
void check_weights(const int* ranks, const int* weights, int n, const char* argument);

/// How many of these lead to one process at most, those to the process itself left out.
int most_to_one(std::vector<int> partners, int rank);

/// A new communicator of the same processes, without topology and attributes, with the same error handler:
/// for MPIs that must not make graphs on what the user has.  Collective.
mpi::Comm plain_parent(MPI_Comm comm);

/// MPI's distributed graph of these lists, without the gaps, which MPI does not know.
/// Collective in `comm`, whose order of processes it keeps.
mpi::Comm make_mpi_graph(MPI_Comm comm, const GraphInfo& graph_info);
/// The same while peers are told of `prepared`.  If it fails, no later graph meets what they have been told.
mpi::Comm make_mpi_graph(MPI_Comm comm, const GraphInfo& graph_info, Prepared& prepared);

/// How a public call names its arguments.
struct ListNames {
    const char* most;
    const char* ranks;
    const char* weights;
};

/// Write the first `most` entries of a list, gaps as MPI_PROC_NULL, and their weights if the
/// graph has any.
void write_list(const GraphInfo& graph_info, const std::vector<int>& list, const std::vector<int>& weights,
                int most, int* ranks_out, int* weights_out, const ListNames& names);

} // namespace ortho::topology
