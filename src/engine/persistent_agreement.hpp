// SPDX-License-Identifier: BSD-3-Clause
// The agreement of all processes of a communicator when a persistent operation is made.
#pragma once

#include <mpi.h>

#include <functional>

#include "agree/ballot.hpp"
#include "engine/context.hpp"

namespace ortho::engine {

/// Checks a call's arguments, and describes it.
using Describe = std::function<Call()>;

/// A call, and what the planner is told of it.
struct Agreed {
    Call call;
    algorithm::CallSpecification specification;
};

/// The two ways of a persistent operation: to be started, and to be run.
struct AgreedWays {
    Agreed started;
    Agreed run;
    bool sizes_are_equal = false; ///< all blocks of all processes have one size
};

/// Agrees on the call, on the words of info (rank 0's list of algorithms, promises that all make), and on
/// sizes, which are compared where that opens a choice.  `ballot`: with slots of the caller's; it is held
/// here.  If `describe` throws base::Error on any process, all throw.  Collective; not to be called under the
/// mutex.
AgreedWays agree_on_call(agree::Ballot& ballot, topology::Graph& graph, const Describe& describe,
                         MPI_Info info);

/// This process's first proposal of `n` tags in a row that are to be free on all processes.
agree::AllEqual propose_tags(agree::Ballot& ballot, topology::Graph& graph, int n);
/// The first of those tags, which are taken, once that ballot was held.  Collective, unless all have proposed
/// the same; not to be called under the mutex.
int agree_on_tags(topology::Graph& graph, int n, const agree::AllEqual& proposed);
/// All of it.  Collective.
int agree_on_tags(topology::Graph& graph, int n);

} // namespace ortho::engine
