// SPDX-License-Identifier: BSD-3-Clause
// Non-blocking and persistent operations on a graph.

#include "engine/graph_task.hpp"

#include "base/error.hpp"
#include "engine/explain.hpp"

namespace ortho::engine {

[[gnu::hot]] void GraphTask::start() { start_by(&GraphTask::begin); }

[[gnu::hot]] void GraphTask::start_to_run() { start_by(&GraphTask::begin_to_run); }

[[gnu::hot]] void GraphTask::start_by(void (GraphTask::*beginning)())
{
    const std::lock_guard lock(graph_->mutex);
    try {
        graph_->require_whole();
        failures_ = {};
        (this->*beginning)();
    } catch (...) {
        after_.reset(); // it was for this start
        throw;
    }
}

[[gnu::hot]] void GraphTask::begin()
{
    start_current();
    over_.store(false, std::memory_order_release);
}

void GraphTask::follow(void* stream)
{
    const std::lock_guard lock(graph_->mutex);
    base::require(memory::any_driver(), base::ErrorKind::arg, "stream", memory::no_driver);
    after_ = stream;
}

bool GraphTask::precede(void* stream, runtime::Backoff& backoff)
{
    if (advance(true, backoff)) return true;
    const std::lock_guard lock(graph_->mutex);
    if (over_.load() || !current_->operation->precede(stream)) return over_.load();
    end();
    over_.store(true, std::memory_order_release);
    return true;
}

[[gnu::hot]] bool GraphTask::advance(bool eager, runtime::Backoff& backoff)
{
    if (over_.load(std::memory_order_acquire)) return true;
    const std::unique_lock lock = mpi::lock_to_drive(graph_->mutex, eager);
    if (!lock) return false;
    if (!over_.load() && go_on(backoff)) {
        end();
        over_.store(true, std::memory_order_release);
    }
    if (!over_.load() && failures_.is_time()) give_up_if_lost();
    return over_.load();
}

void GraphTask::give_up_if_lost()
{
    const int code = graph_->loss(true);
    if (code == MPI_SUCCESS) return;
    if (!failure_) failure_ = std::make_exception_ptr(mpi::Failure(code));
    graph_->give_up();
    give_up(code);
}

[[gnu::hot]] void GraphTask::rethrow() const
{
    if (failure_) std::rethrow_exception(failure_);
    current_->operation->rethrow();
}

bool GraphTask::has_arrived(int slot)
{
    const std::lock_guard lock(graph_->mutex);
    require_slot(slot, slots_);
    if (over_.load() || graph_->graph_info->lists.sources[static_cast<std::size_t>(slot)] == grid::gap)
        return true;
    // Where in-neighbors have no blocks of their own, the whole will do.
    if (as_a_whole_ || current_->bound.binding->receive_slots() != slots_) return false;
    return current_->operation->has_arrived(slot);
}

std::string GraphTask::explanation() const
{
    const std::lock_guard lock(graph_->mutex);
    return text();
}

std::string GraphTask::text() const
{
    return explain(graph_->title(), *current_->bound.decision, *current_->bound.binding);
}

runtime::Waiting GraphTask::waiting()
{
    const std::lock_guard lock(graph_->mutex);
    return waiting_on(*graph_, function_, waiting_for());
}

void GraphTask::set(KeptOperation& kept, const Call& call)
{
    slots_ = static_cast<int>(graph_->graph_info->lists.sources.size());
    as_a_whole_ = call.op != MPI_OP_NULL || call.halo;
    function_ = call.function;
    current_ = &kept;
}

HeldTag::HeldTag(std::shared_ptr<topology::Graph> graph) : graph_(std::move(graph))
{
    const int tag = take_tag(*graph_, Way::nonblocking);
    const std::lock_guard lock(graph_->mutex);
    engine_ = &engine_of(*graph_);
    stamp_ = engine_->network().next_nonblocking(tag);
}

HeldTag::HeldTag(Engine& engine)
    : graph_(engine.graph().shared_from_this()),
      engine_(&engine),
      stamp_(engine.network().next_nonblocking(engine.tags().take(true)))
{}

HeldTag::HeldTag(HeldTag&& other) noexcept
    : graph_(std::move(other.graph_)),
      engine_(other.engine_),
      stamp_(std::exchange(other.stamp_, {}))
{}

HeldTag::~HeldTag()
{
    if (stamp_.tag == 0) return;
    const std::lock_guard lock(graph_->mutex);
    give_back();
}

[[gnu::hot]] void HeldTag::give_back()
{
    if (stamp_.tag != 0) engine_->tags().give_back(std::exchange(stamp_.tag, 0));
}

void OnUserComm::wait_for_names(MPI_Comm user_comm, const Call& call)
{
    names_ = engine_.announcement_on(user_comm);
    call_ = call;
    call_.send = call_.receive = {}; // views of what the user may free
}

bool OnUserComm::hear(std::exception_ptr& failure)
{
    try {
        return !names_ || names_->advance();
    } catch (...) {
        if (!failure) failure = std::current_exception();
        names_.reset();
        return true;
    }
}

void OnUserComm::end(std::exception_ptr& failure)
{
    leave();
    if (!names_ || names_->says_nothing()) return;
    try {
        auto graph_info = std::make_shared<topology::GraphInfo>(*engine_.graph().graph_info);
        graph_info->settings = topology::make_settings(names_->named());
        Context context(std::move(graph_info));
        context.plan(context.specification_of(call_, Way::detached));
    } catch (...) {
        failure = std::current_exception();
    }
}

NonblockingTask::NonblockingTask(std::shared_ptr<topology::Graph> graph, const Call& call,
                                 const ListArguments& list, MPI_Comm user_comm)
    : GraphTask(std::move(graph))
{
    const std::lock_guard lock(graph_->mutex);
    engine_ = &engine_of(*graph_);
    const bool detached = user_comm != MPI_COMM_NULL;
    const transport::Transports& transports = detached ? engine_->detached_transports(user_comm)
                                                       : engine_->network().nonblocking();
    kept_ = engine_->context().find_or_make(call, detached ? Way::detached : Way::nonblocking, list,
                                            transports);
    drops_ = engine_->drops();
    set(*kept_, call);
    if (!detached) return;
    on_user_comm_ = std::make_unique<OnUserComm>(*engine_);
    if (!graph_->graph_info->settings) on_user_comm_->wait_for_names(user_comm, call);
}

NonblockingTask::NonblockingTask(Engine& engine, std::unique_ptr<KeptOperation> kept)
    : GraphTask(engine.graph().shared_from_this()),
      engine_(&engine),
      drops_(engine.drops()),
      kept_(std::move(kept))
{
    slots_ = static_cast<int>(graph_->graph_info->lists.sources.size());
    function_ = kept_->function;
    as_a_whole_ = kept_->operation->reduces();
    current_ = kept_.get();
    if (!graph_->attached()) on_user_comm_ = std::make_unique<OnUserComm>(engine);
}

NonblockingTask::~NonblockingTask()
{
    const std::lock_guard lock(graph_->mutex);
    const bool may_come_again = has_ended_ && !failure_ && !kept_->operation->has_failed();
    if (may_come_again && engine_->drops() == drops_) engine_->context().keep(std::move(kept_));
    kept_.reset(); // under the lock, too
}

} // namespace ortho::engine
