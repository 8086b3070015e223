// SPDX-License-Identifier: BSD-3-Clause
// The messages of a phase as one collective of MPI's.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>
#include <vector>

#include "engine/binding.hpp"
#include "mpi/datatype.hpp"

namespace ortho::engine {

/// An MPI_Alltoallw over all processes of a communicator, in which a phase's partners alone have
/// anything to say.  No partner has two messages the same way.  To be kept until it is over.
class AllToAll {
public:
    AllToAll(MPI_Comm comm, const BoundPhase& phase);

    /// Start it; MPI's error code, which MPI has raised on the communicator.
    int post(MPI_Comm comm, MPI_Request* request) const;

private:
    struct Side {
        std::vector<int> counts;
        std::vector<MPI_Datatype> types;
    };

    void fill(Side& side, std::size_t room, std::span<const Message> messages);

    Side send_;
    Side receive_;
    std::vector<int> displacements_; // all 0: addresses are in the types
    std::vector<mpi::Datatype> made_;
};

} // namespace ortho::engine
