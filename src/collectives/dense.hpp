// SPDX-License-Identifier: BSD-3-Clause
// Collectives on full communicators whose processes share memory.
#pragma once

#include <mpi.h>

#include <memory>

#include "topology/graph.hpp"

namespace ortho::collectives {

/// What was decided for a full communicator: its complete graph, each process and itself included, in rank
/// order, attached; null if not all processes are on one node and share memory there: then MPI's own call is
/// as good as any.
struct Dense {
    std::shared_ptr<topology::Graph> graph;
};

/// What was decided, if anything was; then the communicator is full.
const Dense* find_dense(MPI_Comm comm);

/// What is decided now, for a full communicator.  Collective.
const Dense& decide_dense(MPI_Comm comm);

} // namespace ortho::collectives
