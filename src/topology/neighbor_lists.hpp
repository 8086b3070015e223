// SPDX-License-Identifier: BSD-3-Clause
// Lists of neighbors as arguments of public calls.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "base/error.hpp"
#include "mpi/comm.hpp"
#include "topology/graph.hpp"

namespace ortho::topology {

/// Throws base::Error unless it is a rank.  `i`: its place, if the argument is a list.
void check_rank(int rank, int processes, const char* argument, std::int64_t i = -1,
                base::ErrorKind kind = base::ErrorKind::rank);
/// Throws unless the weights of n edges exist and are not negative.  Weights of gaps (ranks[i] ==
/// MPI_PROC_NULL) are not read; ranks may be null.
void check_weights(const int* ranks, const int* weights, int n, const char* argument);

/// A new communicator of the same processes, with the same error handler and without topology and attributes.
/// It is for MPIs that must not make graphs on the user's communicator.  Collective.
mpi::Comm plain_parent(MPI_Comm comm);

/// MPI's distributed graph of these lists, without gaps, which MPI does not know.  Collective in `comm`, and
/// with its order of processes.
mpi::Comm make_mpi_graph(MPI_Comm comm, const GraphInfo& graph_info);
/// make_mpi_graph() while peers are told about `prepared`.  If it fails, no later graph gets these messages.
mpi::Comm make_mpi_graph(MPI_Comm comm, const GraphInfo& graph_info, Prepared& prepared);

/// The names of a public call's arguments.
struct ListNames {
    const char* most;
    const char* ranks;
    const char* weights;
};

/// Writes the first `most` entries of a list, gaps as MPI_PROC_NULL, and their weights if the graph has any.
void write_list(const GraphInfo& graph_info, const std::vector<int>& list, const std::vector<int>& weights,
                int most, int* ranks_out, int* weights_out, const ListNames& names);

} // namespace ortho::topology
