// SPDX-License-Identifier: BSD-3-Clause
// The messages of a phase as one collective of MPI's.

#include "engine/all_to_all.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "mpi/comm.hpp"

namespace ortho::engine {

namespace {

/// How long the arrays must be.  On communicators that carry a graph Open MPI 4 takes those of
/// MPI_Ialltoallw for a neighborhood collective's, and looks at as many datatypes as there are edges.
std::size_t room_for(MPI_Comm comm)
{
    const int room = mpi::size_of(comm);
    const int topology = mpi::topology_of(comm);
    int in = 0;
    int out = 0;
    int weighted = 0;
    if (topology == MPI_DIST_GRAPH)
        mpi::check_users(PMPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted));
    else if (topology == MPI_GRAPH)
        mpi::check_users(PMPI_Graph_neighbors_count(comm, mpi::rank_of(comm), &in));
    return static_cast<std::size_t>(std::max({room, in, out}));
}

} // namespace

AllToAll::AllToAll(MPI_Comm comm, const BoundPhase& phase)
{
    const std::size_t room = room_for(comm);
    displacements_.assign(room, 0);
    fill(send_, room, phase.sends);
    fill(receive_, room, phase.receives);
}

void AllToAll::fill(Side& side, std::size_t room, std::span<const Message> messages)
{
    side.counts.assign(room, 0);
    side.types.assign(room, MPI_BYTE);
    for (const Message& message : messages) {
        const auto partner = static_cast<std::size_t>(message.partner);
        base::require(side.counts[partner] == 0, base::ErrorKind::intern, "schedule",
                      "two messages to one process in a phase");
        // The displacements of MPI_Alltoallw are ints: addresses go into types.
        MPI_Aint address = 0;
        if (message.place.address != MPI_BOTTOM)
            mpi::check(PMPI_Get_address(message.place.address, &address));
        MPI_Datatype type = MPI_DATATYPE_NULL;
        mpi::check(PMPI_Type_create_struct(1, &message.place.count, &address, &message.place.type, &type));
        made_.emplace_back(type);
        mpi::check(PMPI_Type_commit(&type));
        side.counts[partner] = 1;
        side.types[partner] = type;
    }
}

int AllToAll::post(MPI_Comm comm, MPI_Request* request) const
{
    return PMPI_Ialltoallw(MPI_BOTTOM, send_.counts.data(), displacements_.data(), send_.types.data(),
                           MPI_BOTTOM, receive_.counts.data(), displacements_.data(), receive_.types.data(),
                           comm, request);
}

} // namespace ortho::engine
