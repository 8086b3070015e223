// SPDX-License-Identifier: BSD-3-Clause
// The neighbors of a process of a grid as MPI's own graph, for MPI's neighborhood collectives.
#pragma once

#include <mpi.h>
#include <mpiortho.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace apps {

/// The offsets of the existing neighbors, and their ranks.
template <std::size_t D>
struct Neighbors {
    std::vector<mpiortho::point<D>> offsets;
    std::vector<int> ranks;

    explicit Neighbors(const mpiortho::grid<D>& g)
    {
        for (const auto& offset : g.stencil()) {
            const int rank = g.neighbor(offset);
            if (rank == MPI_PROC_NULL) continue;
            offsets.push_back(offset);
            ranks.push_back(rank);
        }
    }
};

/// MPI's communicator with edges to and from these ranks.
class DistGraph {
public:
    DistGraph(MPI_Comm comm, const std::vector<int>& ranks)
    {
        const int none = 0; // an empty list must not be null
        const int* const list = ranks.empty() ? &none : ranks.data();
        const int n = static_cast<int>(ranks.size());
        MPI_Dist_graph_create_adjacent(comm, n, list, MPI_UNWEIGHTED, n, list, MPI_UNWEIGHTED, MPI_INFO_NULL,
                                       0, &comm_);
    }
    DistGraph(const DistGraph&) = delete;
    DistGraph& operator=(const DistGraph&) = delete;
    ~DistGraph() { MPI_Comm_free(&comm_); }
    MPI_Comm get() const { return comm_; }

private:
    MPI_Comm comm_ = MPI_COMM_NULL;
};

} // namespace apps
