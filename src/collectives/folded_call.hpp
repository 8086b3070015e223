// SPDX-License-Identifier: BSD-3-Clause
// Counts and displacements of any size for MPI's calls, which take ints.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "mpi/argument_copies.hpp"
#include "mpi/count_array.hpp"
#include "mpi/datatype.hpp"

namespace ortho::collectives {

/// One side of an MPI_Alltoallw: what an int cannot hold goes into datatypes, which live as long as this.
class Folded {
public:
    explicit Folded(MPI_Comm comm);
    void add(MPI_Count count, MPI_Aint displacement, MPI_Datatype type);
    void add_none() { add(0, 0, MPI_BYTE); }
    /// Nothing more in entries up to this one.
    void fill_up(std::size_t entries)
    {
        while (types_.size() < entries) add_none();
    }
    /// A datatype of `count` elements at a displacement.
    MPI_Datatype fold(MPI_Count count, MPI_Aint displacement, MPI_Datatype type);
    void keep(mpi::ArgumentCopies& kept);

    std::size_t entries() const { return types_.size(); }
    const int* counts() const { return counts_.data(); }
    const int* displacements() const { return displacements_.data(); }
    const MPI_Datatype* types() const { return types_.data(); }

private:
    bool all_displacements_;
    std::vector<int> counts_;
    std::vector<int> displacements_;
    std::vector<MPI_Datatype> types_;
    std::vector<mpi::Datatype> made_;
};

/// An MPI_Alltoallw: both sides, and the buffers.
struct FoldedSides {
    explicit FoldedSides(MPI_Comm comm) : send(comm), receive(comm) {}

    const void* sendbuf = nullptr;
    Folded send;
    void* recvbuf = nullptr;
    Folded receive;
    std::unique_ptr<std::byte[]> copy{};

    /// Copies what is exchanged in place: the copy is sent.
    void send_copy();
};

/// It on a communicator.
struct FoldedCall {
    explicit FoldedCall(MPI_Comm comm_) : FoldedCall(comm_, std::make_shared<FoldedSides>(comm_)) {}
    FoldedCall(MPI_Comm comm_, std::shared_ptr<FoldedSides> sides_) : comm(comm_), sides(std::move(sides_)) {}

    MPI_Comm comm;
    std::shared_ptr<FoldedSides> sides;

    // They return MPI's code.
    int run() const;
    int post(MPI_Request* request) const;
    void keep(mpi::ArgumentCopies& kept);
    void finish() const {}
};

} // namespace ortho::collectives
