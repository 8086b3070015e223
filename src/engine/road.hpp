// SPDX-License-Identifier: BSD-3-Clause
// The road of a call on a graph: find what is kept, describe, agree, plan, bind, execute.
#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include "engine/agreement.hpp"
#include "engine/context.hpp"
#include "engine/task.hpp"
#include "request/task.hpp"
#include "topology/graph.hpp"

namespace ortho::engine {

/// True if all processes are on one node, and share memory.  The graph must be attached.
bool all_share_memory(topology::Graph& graph);

/// Runs a blocking call of which nothing is kept, and throws what went wrong.  The graph must be attached.
void run(topology::Graph& graph, Call call, const ListArguments& list);

/// In a call that has waited long for an operation: brings that to an end if processes have failed.  Not to
/// be called under the mutex.
void give_up_if_lost(topology::Graph& graph, Operation& operation);

/// Starts an operation, and waits until it is over.  Under the lock, which is held again at the end.
void execute(Engine& engine, const char* function, Operation& operation, transport::Stamp stamp,
             std::unique_lock<mpi::Mutex>& lock);

/// The first step of a blocking call: finds a kept operation, and runs it.  False if there is none: then
/// nothing was done.
template <class List>
[[gnu::hot]] bool run_kept(Engine& engine, const char* function, List list)
{
    std::unique_lock lock(engine.graph().mutex);
    if (!engine.tags().next_is_free()) return false;
    auto kept = engine.context().find(Way::blocking, function, list);
    if (!kept) return false;
    if (kept->expected_sizes != nullptr && !kept->expected_sizes->count()) [[unlikely]] {
        engine.context().kept().put_back(std::move(kept));
        return false;
    }
    const transport::Stamp stamp = engine.network().next_blocking(engine.tags().take(false));
    execute(engine, function, *kept->operation, stamp, lock);
    engine.context().kept().put_back(std::move(kept));
    return true;
}

/// Makes the call on a graph that stays as it is, not attached, and waits until it is over.
void run_detached(MPI_Comm user_comm, const std::shared_ptr<topology::Graph>& graph, const char* function,
                  const call::Describe& describe, const ListArguments& list);

/// Starts a non-blocking call on `user_comm` of which nothing is kept.  Where calls are verified, tells the
/// neighbors if `describe` throws, or the call cannot be started.  `function` is the public one.
std::unique_ptr<request::Task> start(MPI_Comm user_comm, const std::shared_ptr<topology::Graph>& graph,
                                     const char* function, const call::Describe& describe,
                                     const ListArguments& list);

/// A persistent call, to be started again and again.  Collective; the graph must be attached.  If `describe`
/// throws base::Error on any process, all throw.
std::unique_ptr<request::Task> prepare(const std::shared_ptr<topology::Graph>& graph,
                                       const call::Describe& describe, MPI_Info info);

/// The first step of a non-blocking call: finds a kept operation, and starts it.  Null if there is none.
template <class List>
[[gnu::hot]] std::unique_ptr<request::Task> start_kept(Engine& engine, const char* function, List list)
{
    std::unique_ptr<Task> task; // ends without the lock, which it takes
    const std::lock_guard lock(engine.graph().mutex);
    const bool is_attached = engine.graph().attached();
    const bool may_come_again = is_attached ? engine.tags().next_is_free() : engine.detached_are_free();
    if (!may_come_again) return nullptr;
    auto kept = engine.context().find(is_attached ? Way::nonblocking : Way::detached, function, list);
    if (!kept) return nullptr;
    task = std::make_unique<Task>(engine, std::move(kept));
    task->begin(false);
    return task;
}

} // namespace ortho::engine
