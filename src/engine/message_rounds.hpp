// SPDX-License-Identifier: BSD-3-Clause
// Agreeing on rounds for the messages of an alltoall whose sizes differ.
#pragma once

#include <mpi.h>

#include <optional>

#include "engine/context.hpp"
#include "grid/graph.hpp"

namespace ortho::engine {

/// The rounds of all messages, heavy ones first; nothing if there are too many messages in all to tell
/// everybody of, or if, unless `always`, none is twice as large as another.  The same answer everywhere.
/// Collective; moves 16 bytes a message to each process.
std::optional<algorithm::MessageRounds> agree_on_rounds(MPI_Comm channel, const Call& call,
                                                        const grid::LocalGraph& graph, bool always);

} // namespace ortho::engine
