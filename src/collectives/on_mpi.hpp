// SPDX-License-Identifier: BSD-3-Clause
// Collectives on full and inter-communicators, where MPI runs them.
#pragma once

#include <mpi.h>

#include "mpi/argument_copies.hpp"
#include "mpi/comm.hpp"
#include "mpi/count_array.hpp"

namespace ortho::collectives {

/// How many blocks a v or w call has on each side on a full or inter-communicator.
int partners_of(MPI_Comm comm);

/// Is this process the root of a call on a full or inter-communicator?
bool is_root(MPI_Comm comm, int root);

/// Has it, besides, one block that goes to the root, or comes from it?  Not so in the root's own group,
/// if that is another than the other processes'.
bool is_leaf(MPI_Comm comm, int root);

/// Throw base::Error, naming the argument, if a count is negative, or if there are none.
void require_count(MPI_Count count, const char* argument);
void require_counts(const mpi::CountArray& counts, int n, const char* argument);

/// Datatypes for calls with more elements than MPI's count can hold: one element of a larger type stands for
/// them, as long as this lives.
class Fitted : public mpi::ArgumentCopies {
public:
    void fit(MPI_Count& count, MPI_Datatype& type);
    /// The operator becomes one that takes the larger type apart.
    void fit(MPI_Count& count, MPI_Datatype& type, MPI_Op& op);
};

} // namespace ortho::collectives
