// SPDX-License-Identifier: BSD-3-Clause
// The road of a call on a graph, from its description on.

#include "engine/road.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <string>

#include "engine/comm_transports.hpp"
#include "engine/operation.hpp"
#include "mpi/quiet_errors.hpp"
#include "runtime/outstanding_operations.hpp"
#include "runtime/wait.hpp"
#include "topology/agreed_settings.hpp"

namespace ortho::engine {

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
    // MPI's errors are kept quiet only where MPI completes something: to do so takes as long as a small
    // message through shared memory.
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
                watch.report(nullptr, graph.waiting(function, operation.waiting_for()));
            },
            [&] { give_up_if_lost(graph, operation); });
        lock.lock();
    }
    operation.rethrow();
}

namespace {

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
    std::exception_ptr error;
    try {
        std::unique_lock lock(graph.mutex);
        Engine& engine = engine_of(graph);
        const transport::Stamp stamp = engine.network().next_blocking(tag);
        const auto kept = engine.context().find_or_make(odd.with_expected_sizes(call), Way::blocking, list,
                                                        engine.transports(Way::blocking, call));
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
    ExpectedSizes* const sizes = expect_sizes(graph, call);
    if (sizes != nullptr) call.expected = sizes->now;
    const int tag = take_tag(graph, Way::blocking);
    if (call.expected) {
        OddBlocks odd(graph.graph_info, call, *call.expected);
        if (odd.any()) {
            sizes->note(odd, call);
            return run_with_odd_blocks(graph, call, odd, list, tag);
        }
    }
    std::unique_lock lock(graph.mutex);
    Engine& engine = engine_of(graph);
    // Like the tag, it must count on all processes, whatever comes.
    const transport::Stamp stamp = engine.network().next_blocking(tag);
    auto kept = engine.context().find_or_make(call, Way::blocking, list,
                                              engine.transports(Way::blocking, call));
    kept->expected_sizes = sizes;
    execute(engine, call.function, *kept->operation, stamp, lock);
    engine.context().keep(std::move(kept));
}

void run_detached(MPI_Comm user_comm, const std::shared_ptr<topology::Graph>& graph, const char* function,
                  const call::Describe& describe, const ListArguments& list)
{
    Task task(graph, function);
    task.bind(describe(), list, user_comm);
    task.start(false);
    const mpi::QuietRequests quiet(mpi::QuietRequests::Of::collectives);
    runtime::wait_until([&](runtime::Backoff& backoff) { return task.advance(true, backoff); },
                        [&](const runtime::StallWatch& watch) { watch.report(nullptr, task.waiting()); },
                        [] {}); // it gives itself up
    task.rethrow();
}

namespace {

/// True if some process may forward in a non-blocking call, which is not verified then.  `call`: if it is known.
bool is_bound_to_forward(topology::Graph& graph, const std::optional<Call>& call)
{
    const std::vector<std::string>& names = graph.graph_info->settings->algorithms;
    return std::ranges::any_of(planner::all_algorithms(), [&](const planner::Algorithm* algorithm) {
        return algorithm->forwards && (!call || call->collective == algorithm->collective) &&
               std::ranges::find(names, algorithm->name) != names.end();
    });
}

} // namespace

std::unique_ptr<request::Task> start(MPI_Comm user_comm, const std::shared_ptr<topology::Graph>& graph,
                                     const char* function, const call::Describe& describe,
                                     const ListArguments& list)
{
    std::optional<Call> call;
    std::unique_ptr<Task> task;
    try {
        call = describe();
        // All processes decide alike whether the graph is attached: only calls that are collective, and wait,
        // do that.
        task = std::make_unique<Task>(graph, function);
        task->bind(*call, list, user_comm);
    } catch (...) {
        const bool is_verified = graph->attached() && graph->verification_comm;
        if (is_verified && !is_bound_to_forward(*graph, call)) {
            // The call counts on all processes, whatever comes.
            if (!task) task = std::make_unique<Task>(graph, function);
            task->refuse(verify::refusal_in_words());
            task->start(false);
            runtime::OutstandingOperations::adopt(std::move(task));
        }
        throw;
    }
    task->start(false);
    return task;
}

std::unique_ptr<request::Task> prepare(const std::shared_ptr<topology::Graph>& graph,
                                       const call::Describe& describe, MPI_Info info)
{
    return std::make_unique<Task>(std::make_unique<PreparedCall>(graph, describe, info));
}

} // namespace ortho::engine
