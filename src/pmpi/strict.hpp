// SPDX-License-Identifier: BSD-3-Clause
// Point-to-point communication along the edges of a graph only.
#pragma once

#include <mpi.h>

#include "pmpi/replace.hpp"

namespace ortho::pmpi {

/// The partner of a call.
struct Peer {
    enum class Way { to, from };
    Way way;
    const char* argument;
    int rank;
};

inline Peer to(int rank) { return {Peer::Way::to, "dest", rank}; }
inline Peer from(int rank) { return {Peer::Way::from, "source", rank}; }

/// Throws base::Error (neighbor) if `comm` carries a graph that has no edge that way.  Accepts MPI_PROC_NULL
/// and MPI_ANY_SOURCE.
void require_edge(MPI_Comm comm, const Peer& peer);

/// Makes MPI's call, if ORTHO_STRICT allows it.  `request` is null for calls without one.
template <class Mpis, class... Peers>
int along_edges(const char* function, MPI_Comm comm, MPI_Request* request, Mpis mpis, Peers... peers)
{
    if (!is_strict()) return mpis();
    bool allowed = false;
    const int code = guarded(function, comm, [&] {
        (require_edge(comm, peers), ...);
        allowed = true;
        return MPI_SUCCESS;
    });
    if (allowed) return mpis();
    if (request != nullptr) *request = MPI_REQUEST_NULL;
    return code;
}

} // namespace ortho::pmpi
