// SPDX-License-Identifier: BSD-3-Clause
// Running a collective on a graph.

#include "engine/run.hpp"

#include <mutex>
#include <optional>

#include "engine/operation.hpp"
#include "engine/wait.hpp"
#include "mpi/failure.hpp"
#include "mpi/quiet.hpp"

namespace ortho::engine {

namespace {

/// Does the MPI raise errors of requests elsewhere than on their communicator?  Then they are kept
/// quiet; not with threads, for which handlers would change under the hands of the others.
bool needs_quiet()
{
#ifdef MPICH_VERSION
    int provided = MPI_THREAD_SINGLE;
    mpi::check(PMPI_Query_thread(&provided));
    return provided != MPI_THREAD_MULTIPLE;
#else
    return false;
#endif
}

} // namespace

void run(const std::shared_ptr<topology::Graph>& graph, const Call& call)
{
    const std::lock_guard lock(graph->mutex);
    Context& context = context_of(*graph);
    auto binding = context.bind(call);
    std::optional<mpi::Quiet> quiet;
    if (needs_quiet()) quiet.emplace();
    Operation operation(std::move(binding), graph->channel.get(), context.next_tag(), call.op);
    wait_until([&] { return operation.advance(); });
    operation.rethrow();
    mpi::check(operation.error());
}

} // namespace ortho::engine
