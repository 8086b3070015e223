// SPDX-License-Identifier: BSD-3-Clause
// Running collectives on graphs: the three forms of a call.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "engine/agreement.hpp"
#include "engine/context.hpp"
#include "engine/graph_task.hpp"
#include "engine/task.hpp"
#include "topology/graph.hpp"

namespace ortho::engine {

/// Are all processes on one node, and share memory?  The graph must be attached.
bool all_share_memory(topology::Graph& graph);

/// Start the call, wait until it is over, throw what went wrong.  The graph must be attached.
void run(topology::Graph& graph, Call call, const ListArguments& list);

/// In a call that has waited long for an operation: brings that to an end if processes have failed.  Not to
/// be called under the mutex.
void give_up_if_lost(topology::Graph& graph, Operation& operation);

/// Starts an operation, and waits until it is over.  Under the lock, which is held again at the end.
void execute(Engine& engine, const char* function, Operation& operation, transport::Stamp stamp,
             std::unique_lock<mpi::Mutex>& lock);

/// Finds the operation of an earlier call with the same arguments or, with the new ones in place, of one like
/// it.  Null if there is none.  Under the graph's mutex.  `list(reader, edges)`: tells the arguments.
template <class List>
[[gnu::hot]] std::unique_ptr<Replay> find_replay(Engine& engine, Form form, const char* function, List list)
{
    Context& context = engine.context();
    Replays& replays = context.replays();
    const Edges& edges = context.edges();
    const bool are_compared = replays.are_compared(function);
    if (are_compared) {
        auto same = replays.take(function, [&](const std::vector<std::uint64_t>& arguments) {
            ArgumentReader reader(arguments);
            list(reader, edges);
            return reader.same();
        });
        if (same) return same;
    }
    try {
        std::optional<NewBuffers> buffers;
        auto replay = replays.take_other(function, [&](Replay& other) {
            list(buffers.emplace(*other.shape), edges);
            return buffers->fit() && context.may_become(other, buffers->send(), buffers->receive());
        });
        if (!replay || !context.become(*replay, form, buffers->send(), buffers->receive())) return nullptr;
        ArgumentWriter writer(std::move(replay->arguments));
        if (are_compared) list(writer, edges);
        replay->arguments = writer.take();
        replays.count_other(function);
        return replay;
    } catch (...) { // Whoever plans it anew has its tag by then, which must count on all processes.
        return nullptr;
    }
}

/// A blocking call that was made before, or one like it: does it again.  False if there was none; then
/// nothing is done.
template <class List>
[[gnu::hot]] bool run_again(Engine& engine, const char* function, List list)
{
    std::unique_lock lock(engine.graph().mutex);
    if (!engine.tags().next_is_free()) return false;
    auto replay = find_replay(engine, Form::blocking, function, list);
    if (!replay) return false;
    if (replay->expected_sizes != nullptr && !replay->expected_sizes->count()) [[unlikely]] {
        engine.replays().put_back(std::move(replay));
        return false;
    }
    const transport::Stamp stamp = engine.network().next_blocking(engine.tags().take(false));
    execute(engine, function, *replay->operation, stamp, lock);
    engine.replays().put_back(std::move(replay));
    return true;
}

/// Makes the call on a graph that stays as it is, not attached, and waits until it is over.
void run_detached(MPI_Comm user_comm, const std::shared_ptr<topology::Graph>& graph, const Describe& describe,
                  const ListArguments& list);

/// Start the call that `describe` describes, which was made on `user_comm`, and come back.
std::unique_ptr<Task> start(MPI_Comm user_comm, const std::shared_ptr<topology::Graph>& graph,
                            const Describe& describe, const ListArguments& list);

/// A call on a graph that is not attached, which has been made before.  Under the graph's mutex.
std::unique_ptr<NonblockingTask> detached_again(Engine& engine, std::unique_ptr<Replay> replay);

/// A non-blocking call that was made before, or one like it, and is over: starts it again.  Null if there was
/// none.
template <class List>
[[gnu::hot]] std::unique_ptr<Task> start_again(Engine& engine, const char* function, List list)
{
    std::unique_ptr<NonblockingTask> task; // ends without the lock, which it takes
    std::unique_lock lock(engine.graph().mutex);
    const bool is_attached = engine.graph().attached();
    const bool may_come_again = is_attached ? engine.tags().next_is_free() : engine.detached_are_free();
    if (!may_come_again) return nullptr;
    auto replay = find_replay(engine, is_attached ? Form::nonblocking : Form::detached, function, list);
    if (!replay) return nullptr;
    if (is_attached) {
        task = std::make_unique<NonblockingTask>(engine, std::move(replay));
        task->keep(HeldTag(engine));
    } else {
        task = detached_again(engine, std::move(replay));
    }
    lock.unlock();
    task->start();
    return task;
}

} // namespace ortho::engine
