// SPDX-License-Identifier: BSD-3-Clause
// What the processes of a communicator agree on when a persistent operation is made.
#pragma once

#include <mpi.h>

#include <array>
#include <functional>
#include <optional>
#include <span>

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
};

/// The call, what info says (rank 0's list of algorithms, promises that all make), and sizes, compared where
/// that opens a choice.  `also`: numbers of which each becomes the largest of all processes.  If `describe`
/// throws base::Error on any process, all throw.  Collective; not to be called under the mutex.
AgreedWays agree_on_call(topology::Graph& graph, const Describe& describe, MPI_Info info,
                         std::span<int> also);

/// What this process says to begin with of `n` tags in a row that are to be free on all processes, which get
/// the largest numbers.  `from`: where to look; if it is not given, behind the last that were taken.
std::array<int, 2> propose_tags(topology::Graph& graph, int n, std::optional<int> from = {});
/// The first of those tags, which are taken.  `largest`: what was heard already.  Collective, unless all have
/// proposed the same; not to be called under the mutex.
int agree_on_tags(topology::Graph& graph, int n, std::optional<std::array<int, 2>> largest = {});

} // namespace ortho::engine
