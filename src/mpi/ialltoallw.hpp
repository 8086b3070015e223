// SPDX-License-Identifier: BSD-3-Clause
// An exchange with some processes as one MPI_Ialltoallw, on the user's communicator.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "mpi/comm.hpp"

namespace ortho::mpi {

/// The entries that each array for MPI_Ialltoallw must have: one for each process of a communicator, and for
/// each edge of its topology, if these are more.  Otherwise MPI_Ialltoallw of Open MPI 4 may crash.
inline std::size_t ialltoallw_entries(MPI_Comm comm)
{
    const int topology = topology_of(comm);
    int in = 0;
    int out = 0;
    int weighted = 0;
    if (topology == MPI_DIST_GRAPH)
        check_users(PMPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted));
    else if (topology == MPI_GRAPH)
        check_users(PMPI_Graph_neighbors_count(comm, rank_of(comm), &in));
    else if (topology == MPI_CART) {
        check_users(PMPI_Cartdim_get(comm, &in));
        in *= 2;
    }
    return static_cast<std::size_t>(std::max({size_of(comm), in, out}));
}

/// One element for each partner, of a datatype with the addresses of the data; nothing for other processes.
class Ialltoallw {
public:
    class Side {
    public:
        explicit Side(std::size_t room) : counts_(room, 0), types_(room, MPI_BYTE) {}
        bool has(int partner) const { return counts_[static_cast<std::size_t>(partner)] != 0; }
        void set(int partner, MPI_Datatype type)
        {
            counts_[static_cast<std::size_t>(partner)] = 1;
            types_[static_cast<std::size_t>(partner)] = type;
        }

    private:
        friend class Ialltoallw;
        std::vector<int> counts_;
        std::vector<MPI_Datatype> types_;
    };

    explicit Ialltoallw(MPI_Comm comm)
        : send(ialltoallw_entries(comm)),
          receive(send),
          displacements_(send.counts_)
    {}

    /// Returns MPI's error code; MPI has raised the error on the communicator.
    int start(MPI_Comm comm, MPI_Request* request) const
    {
        return PMPI_Ialltoallw(MPI_BOTTOM, send.counts_.data(), displacements_.data(), send.types_.data(),
                               MPI_BOTTOM, receive.counts_.data(), displacements_.data(),
                               receive.types_.data(), comm, request);
    }

    Side send;
    Side receive;

private:
    std::vector<int> displacements_; // all 0: they are ints, and addresses are in the types
};

} // namespace ortho::mpi
