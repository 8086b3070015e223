// SPDX-License-Identifier: BSD-3-Clause
// Collectives on full communicators whose processes share memory.
#pragma once

#include <mpi.h>

#include <memory>

#include "topology/graph.hpp"

namespace ortho::collectives {

/// The complete graph of a full communicator, each process and itself included, in rank order, attached; null if not
/// all processes are on one node and share memory there: then MPI's own call is as good as any.  Made in the
/// communicator's first call that asks, which is collective.
std::shared_ptr<topology::Graph> dense_graph(MPI_Comm comm);

} // namespace ortho::collectives
