// SPDX-License-Identifier: BSD-3-Clause
// Trying algorithms out.
#pragma once

#include <mpi.h>

#include <vector>

#include "engine/context.hpp"

namespace ortho::engine {

/// How long the call takes by each of the algorithms that can serve it: run, on memory of our own that is
/// laid out as the user's, several times in turn; the median, on the slowest process.  The same numbers
/// everywhere.
///
/// Nothing for reductions, whose algorithms may round differently, for halos, whose bytes are the same
/// whichever way, where there is no choice, and where a process has more than 256 MiB to lay out.
///
/// Collective; not to be called under the graph's mutex.
/// Source: the planner of FFTW (M. Frigo, S. G. Johnson: The design and implementation of FFTW3, 2005).
std::vector<planner::Measured> measure(topology::Graph& graph, const Call& call,
                                       const algorithm::CallSpecification& specification, int tag);

} // namespace ortho::engine
