// SPDX-License-Identifier: BSD-3-Clause
// An exchange with some processes as one MPI_Ialltoallw, on a communicator of the user's.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace ortho::mpi {

/// One element for each partner, of a datatype that has the addresses of the data; nothing for others.
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

    /// On a communicator of so many processes, which carries a graph with so many edges here, or none.  Open
    /// MPI 4 takes the arrays for a neighborhood collective's then, and looks at as many datatypes as there
    /// are edges.
    Ialltoallw(int size, std::size_t in_edges, std::size_t out_edges)
        : send(std::max({static_cast<std::size_t>(size), in_edges, out_edges})),
          receive(send),
          displacements_(send.counts_)
    {}

    /// MPI's error code, which MPI has raised on the communicator.
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
