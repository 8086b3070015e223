// SPDX-License-Identifier: BSD-3-Clause
// Arguments of public calls: grids of processes, and lists of neighbors.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "agree/ballot.hpp"
#include "base/error.hpp"
#include "grid/grid.hpp"
#include "mpi/comm.hpp"
#include "topology/graph.hpp"

namespace ortho::topology {

/// The grid of `dims` and `periods`, row-major.  Throws base::Error if these make no grid, or one with more
/// points than `comm` has processes.
grid::Grid make_grid(MPI_Comm comm, int d, const int dims[], const int periods[]);

/// Arguments that must be the same on all processes.
class Alike {
public:
    explicit Alike(agree::Ballot& ballot) : list_(ballot) {}
    void add(int number, const char* argument);
    /// Adds d, dims and periods.
    void add(const grid::Grid& grid);
    /// Call after the last add().
    void say() { list_.say(numbers_); }
    /// Throws base::Error (mismatch), on all processes, unless all gave the same arguments.  Valid once the
    /// ballot was held.  Collective.
    void require_everywhere(MPI_Comm comm) const;

private:
    /// Requires this of some of the numbers.
    void require_same(MPI_Comm comm, const std::vector<std::size_t>& which) const;

    agree::SameList list_;
    std::vector<int> numbers_;
    std::vector<const char*> arguments_;
};

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
