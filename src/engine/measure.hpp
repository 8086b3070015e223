// SPDX-License-Identifier: BSD-3-Clause
// Trying algorithms out.
#pragma once

#include <mpi.h>

#include <vector>

#include "engine/context.hpp"

namespace ortho::engine {

/// Times each of the algorithms that can serve the call.  They run in turn, several times, on memory of our
/// own that is laid out as the user's.  A result is the median, on the slowest process.  All processes get
/// the same numbers.
///
/// Nothing is timed if there is no choice, or if a process has more than 256 MiB to lay out.  Nor are
/// reductions, whose algorithms may round differently, and halos, which have the same bytes by each
/// algorithm.
///
/// Collective; not to be called under the graph's mutex.
/// Source: the planner of FFTW (M. Frigo, S. G. Johnson: The design and implementation of FFTW3, 2005).
std::vector<planner::Measured> measure(topology::Graph& graph, const Call& call,
                                       const algorithm::CallSpecification& specification, int tag);

} // namespace ortho::engine
