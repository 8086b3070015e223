// SPDX-License-Identifier: BSD-3-Clause
// Running collectives on graphs: the three forms of a call.

#include "engine/road.hpp"

#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "engine/comm_transports.hpp"
#include "engine/graph_task.hpp"
#include "engine/operation.hpp"
#include "mpi/quiet_errors.hpp"
#include "runtime/outstanding_operations.hpp"
#include "runtime/wait.hpp"
#include "topology/agreed_settings.hpp"

namespace ortho::engine {

namespace {

/// A non-blocking call on a communicator that is not attached, or a blocking one where that stays so.  To
/// make a private communicator would take several steps, and a process may be away in MPI_Recv between any
/// two of them: so the messages go by a collective of MPI's, which goes on by itself.
class DetachedTask final : public NonblockingTask {
public:
    DetachedTask(MPI_Comm user_comm, std::shared_ptr<topology::Graph> graph, const Call& call,
                 const ListArguments& list)
        : NonblockingTask(std::move(graph), call, list, user_comm)
    {
        const std::lock_guard lock(graph_->mutex);
        if (!graph_->graph_info->settings) {
            names_ = std::make_unique<Names>(engine_->announcement_on(user_comm), call);
            names_->call.send = names_->call.receive = {}; // views of what the user may free
        }
        ++engine_->on_user_comm;
    }
    /// One that comes again, and is bound to no algorithm.  Under the mutex.
    DetachedTask(Engine& engine, std::unique_ptr<KeptOperation> kept)
        : NonblockingTask(engine, std::move(kept))
    {
        ++engine.on_user_comm;
    }
    ~DetachedTask() override
    {
        const std::lock_guard lock(graph_->mutex);
        leave_user_comm();
    }

private:
    /// The algorithms that it may be bound to.
    struct Names {
        std::shared_ptr<topology::Announcement> announcement;
        Call call;
    };

    bool go_on(runtime::Backoff& backoff) override
    {
        const mpi::QuietRequests quiet(mpi::QuietRequests::Of::collectives);
        if (names_ && !hear()) return false;
        return NonblockingTask::go_on(backoff);
    }
    /// The announcement.  Errors do not stop the operation.
    bool hear()
    {
        try {
            return names_->announcement->advance();
        } catch (...) {
            if (!failure_) failure_ = std::current_exception();
            names_.reset();
            return true;
        }
    }
    void end() override
    {
        NonblockingTask::end();
        leave_user_comm();
        // Only now it is known what the call was bound to.
        if (!names_ || names_->announcement->says_nothing()) return;
        try {
            auto graph_info = std::make_shared<topology::GraphInfo>(*graph_->graph_info);
            graph_info->settings = topology::make_settings(names_->announcement->named());
            Context context(std::move(graph_info));
            context.plan(context.specification_of(names_->call, Way::detached));
        } catch (...) {
            failure_ = std::current_exception();
        }
    }

    /// Once: when it is over, or has never begun.
    void leave_user_comm()
    {
        if (on_user_comm_) --engine_->on_user_comm;
        on_user_comm_ = false;
    }

    bool on_user_comm_ = true;
    std::unique_ptr<Names> names_; // null if it is bound to none
};

} // namespace

bool all_share_memory(topology::Graph& graph)
{
    const std::lock_guard lock(graph.mutex);
    return engine_of(graph).network().all_here();
}

void give_up_if_lost(topology::Graph& graph, Operation& operation)
{
    const int code = mpi::loss_in_call();
    if (code == MPI_SUCCESS) return;
    const std::lock_guard lock(graph.mutex);
    graph.give_up();
    operation.give_up(code);
}

[[gnu::hot]] void execute(Engine& engine, const char* function, Operation& operation, transport::Stamp stamp,
                          std::unique_lock<mpi::Mutex>& lock)
{
    topology::Graph& graph = engine.graph();
    graph.require_whole();
    // That takes as long as a small message through shared memory: only where MPI completes something.
    std::optional<mpi::QuietRequests> quiet;
    if (operation.binding().takes_mpi() || runtime::OutstandingOperations::any()) quiet.emplace();
    operation.start(stamp);
    runtime::Backoff first;
    if (!operation.advance(first)) {
        // Not under the lock for long: other threads may wait for operations on this communicator.
        lock.unlock();
        runtime::wait_until(
            [&](runtime::Backoff& backoff) {
                const std::lock_guard again(graph.mutex);
                return operation.advance(backoff);
            },
            [&](const runtime::StallWatch& watch) {
                const std::lock_guard again(graph.mutex);
                watch.report(nullptr, waiting_on(graph, function, operation.waiting_for()));
            },
            [&] { give_up_if_lost(graph, operation); });
        lock.lock();
    }
    operation.rethrow();
}

namespace {

const transport::Transports& transports_of(Engine& engine, const Call& call)
{
    return call.expected && call.expected->counts ? call.expected->by_wires : engine.network().blocking();
}

/// The blocks that go along these edges, as a call on a graph of these edges, which forwards nothing.
BoundCall bind_odd_blocks(Engine& engine, Call call, const grid::LocalGraph& edges)
{
    call.expected = nullptr;
    auto graph_info = std::make_shared<topology::GraphInfo>();
    graph_info->lists = edges;
    Context context(std::move(graph_info));
    return context.make(call, context.specification_of(call, Way::detached), Way::detached,
                        engine.network().by_mpi());
}

/// A call some of whose blocks have other sizes than expected: others of the expected sizes travel in their
/// places, and they themselves go straight to their receivers afterwards.
void run_with_odd_blocks(topology::Graph& graph, const Call& call, OddBlocks& odd, const ListArguments& list,
                         int tag)
{
    note_odd_blocks(graph, call);
    std::exception_ptr error;
    try {
        std::unique_lock lock(graph.mutex);
        Engine& engine = engine_of(graph);
        const transport::Stamp stamp = engine.network().next_blocking(tag);
        const auto kept = engine.context().find_or_make(odd.stand_in(call), Way::blocking, list,
                                                        transports_of(engine, call));
        execute(engine, call.function, *kept->operation, stamp, lock);
    } catch (...) { // receivers of odd blocks wait for them
        error = std::current_exception();
    }
    std::unique_lock lock(graph.mutex);
    const BoundCall direct = bind_odd_blocks(engine_of(graph), call, odd.edges());
    Operation operation(direct.binding, MPI_OP_NULL);
    execute(engine_of(graph), call.function, operation, {tag}, lock);
    if (error) std::rethrow_exception(error);
}

} // namespace

void run(topology::Graph& graph, Call call, const ListArguments& list)
{
    call.expected = expect_sizes(graph, call);
    const int tag = take_tag(graph, Way::blocking);
    if (call.expected) {
        OddBlocks odd(graph.graph_info, call, *call.expected);
        if (odd.any()) return run_with_odd_blocks(graph, call, odd, list, tag);
    }
    std::unique_lock lock(graph.mutex);
    Engine& engine = engine_of(graph);
    // Like the tag, it must count on all processes, whatever comes.
    const transport::Stamp stamp = engine.network().next_blocking(tag);
    auto kept = engine.context().find_or_make(call, Way::blocking, list, transports_of(engine, call));
    execute(engine, call.function, *kept->operation, stamp, lock);
    engine.context().keep(std::move(kept));
}

void run_detached(MPI_Comm user_comm, const std::shared_ptr<topology::Graph>& graph, const Describe& describe,
                  const ListArguments& list)
{
    DetachedTask task(user_comm, graph, describe(), list);
    task.start();
    const mpi::QuietRequests quiet(mpi::QuietRequests::Of::collectives);
    runtime::wait_until([&](runtime::Backoff& backoff) { return task.advance(true, backoff); },
                        [&](const runtime::StallWatch& watch) { watch.report(nullptr, task.waiting()); },
                        [] {}); // it gives itself up
    task.rethrow();
}

std::unique_ptr<NonblockingTask> detached_again(Engine& engine, std::unique_ptr<KeptOperation> kept)
{
    return std::make_unique<DetachedTask>(engine, std::move(kept));
}

std::unique_ptr<request::Task> start(MPI_Comm user_comm, const std::shared_ptr<topology::Graph>& graph,
                                     const Describe& describe, const ListArguments& list)
{
    // All processes decide alike: only calls that are collective, and wait, attach.
    if (!graph->attached()) {
        auto task = std::make_unique<DetachedTask>(user_comm, graph, describe(), list);
        task->start();
        return task;
    }
    const Call call = describe();
    HeldTag tag(graph);
    auto task = std::make_unique<NonblockingTask>(graph, call, list);
    task->keep(std::move(tag));
    task->start();
    return task;
}

} // namespace ortho::engine
