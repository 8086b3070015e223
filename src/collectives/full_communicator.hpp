// SPDX-License-Identifier: BSD-3-Clause
// Collectives on full communicators.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "engine/context.hpp"
#include "topology/graph.hpp"

namespace ortho::collectives {

/// A graph that calls on a communicator run on.
struct GraphInUse {
    std::shared_ptr<topology::Graph> graph;
    engine::Engine* engine = nullptr; ///< the graph's, if that is known

    explicit operator bool() const { return graph != nullptr; }
};

/// The decisions for a full communicator.
struct Dense {
    /// Its complete graph, each process and itself included, in rank order, attached; none if not all
    /// processes are on one node and share memory there: then MPI's own calls are taken.
    GraphInUse complete;

    // For alltoall between several nodes.

    std::optional<topology::Settings> settings; ///< nothing if there is one node
    bool grid_decided = false;
    /// The complete graph, on a torus of all processes: blocks may travel along its dimensions.
    GraphInUse on_torus;
    /// By the bytes of a block: is that predicted to be faster than MPI's own call?
    std::map<std::int64_t, bool> is_faster;
};

/// The decisions that this thread found last, if they are this communicator's; else null, which says nothing.
/// Quick.
Dense* last_dense(MPI_Comm comm) noexcept;

/// The decisions for a communicator, if there are any; then it is full.
Dense* find_dense(MPI_Comm comm);

/// Decides for a full communicator.  Collective.
Dense& decide_dense(MPI_Comm comm);

/// The graph on which an alltoall between several nodes runs; none if MPI's own call is taken.  All processes
/// decide alike; their blocks have one size.  Collective.  `describe`: the call on such a graph.
GraphInUse torus_for(Dense& dense, MPI_Comm comm, std::int64_t block_bytes,
                     const std::function<engine::Call(const topology::Graph&)>& describe);

} // namespace ortho::collectives
