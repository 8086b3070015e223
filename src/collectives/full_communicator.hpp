// SPDX-License-Identifier: BSD-3-Clause
// Collectives on full communicators.
#pragma once

#include <mpi.h>

#include <memory>

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
};

/// The decisions that this thread found last, if they are this communicator's; else null, which says nothing.
/// Quick.
Dense* last_dense(MPI_Comm comm) noexcept;

/// The decisions for a communicator, if there are any; then it is full.
Dense* find_dense(MPI_Comm comm);

/// Decides for a full communicator.  Collective.
Dense& decide_dense(MPI_Comm comm);

} // namespace ortho::collectives
