// SPDX-License-Identifier: BSD-3-Clause
// Byte displacements of any size for MPI's calls, which take ints.
#pragma once

#include <mpi.h>

#include <vector>

#include "mpi/datatype.hpp"

namespace ortho::collectives {

/// One side of an MPI_Alltoallw, from displacements in MPI_Aint: those that an int cannot hold go
/// into datatypes, which live as long as this.
class Folded {
public:
    void add(int count, MPI_Aint displacement, MPI_Datatype type);
    /// A datatype of `count` elements at a displacement.
    MPI_Datatype fold(int count, MPI_Aint displacement, MPI_Datatype type);

    const int* counts() const { return counts_.data(); }
    const int* displacements() const { return displacements_.data(); }
    const MPI_Datatype* types() const { return types_.data(); }

private:
    std::vector<int> counts_;
    std::vector<int> displacements_;
    std::vector<MPI_Datatype> types_;
    std::vector<mpi::Datatype> made_;
};

/// An MPI_Alltoallw: both sides, and the buffers.
struct FoldedSides {
    const void* sendbuf = nullptr;
    Folded send;
    void* recvbuf = nullptr;
    Folded receive;

    // They return MPI's code.
    int run(MPI_Comm comm) const;
    int post(MPI_Comm comm, MPI_Request* request) const;
};

} // namespace ortho::collectives
