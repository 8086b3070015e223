// SPDX-License-Identifier: BSD-3-Clause
// The task of a call on a graph that is started.

#include "engine/task.hpp"

#include <mutex>

#include "base/error.hpp"
#include "engine/explain.hpp"
#include "mpi/quiet_errors.hpp"

namespace ortho::engine {

Task::Task(std::shared_ptr<topology::Graph> graph, const char* function)
    : graph_(std::move(graph)),
      function_(function)
{
    if (graph_->attached()) {
        stamp_.tag = take_tag(*graph_, Way::nonblocking);
        has_tag_ = true;
    }
    const std::lock_guard lock(graph_->mutex);
    engine_ = &engine_of(*graph_);
    if (has_tag_) stamp_ = engine_->network().next_nonblocking(stamp_.tag);
}

[[gnu::hot]] Task::Task(Engine& engine, std::unique_ptr<KeptOperation> kept)
    : graph_(engine.graph().shared_from_this()),
      function_(kept->function),
      current_(kept.get()),
      engine_(&engine),
      drops_(engine.drops()),
      kept_(std::move(kept)),
      has_tag_(graph_->attached()),
      is_on_user_comm_(!has_tag_)
{
    if (has_tag_)
        stamp_ = engine.network().next_nonblocking(engine.tags().take(true));
    else
        ++engine.on_user_comm;
}

Task::Task(std::unique_ptr<PreparedCall> prepared)
    : graph_(prepared->graph()),
      function_(prepared->call().function),
      current_(prepared->started().kept.get()),
      prepared_(std::move(prepared))
{}

Task::~Task()
{
    if (prepared_) return;
    const std::lock_guard lock(graph_->mutex);
    release();
    const bool may_come_again = std::holds_alternative<Over>(state_) && !failure_ && kept_ &&
                                !kept_->operation->has_failed();
    if (may_come_again && engine_->drops() == drops_) engine_->context().keep(std::move(kept_));
    kept_.reset(); // under the lock, too
}

void Task::bind(const Call& call, const ListArguments& list, MPI_Comm user_comm)
{
    const std::lock_guard lock(graph_->mutex);
    const Way way = has_tag_ ? Way::nonblocking : Way::detached;
    kept_ = engine_->context().find_or_make(call, way, list, engine_->transports(way, call, user_comm));
    drops_ = engine_->drops();
    if (graph_->verification_comm && has_tag_ && !kept_->bound.decision->plan.algorithm->forwards) {
        const verify::CallSignature signature(graph_->graph_info, call, true);
        verify::require_no_misfits(*graph_);
        graph_->require_whole();
        state_.emplace<Verifying>(*graph_, signature);
        takes_mpi_ = true;
    }
    current_ = kept_.get();
    if (has_tag_) return;
    ++engine_->on_user_comm;
    is_on_user_comm_ = true;
    if (graph_->graph_info->settings) return;
    auto without_buffers = std::make_unique<Call>(call);
    without_buffers->send = without_buffers->receive = {}; // views of what the user may free
    state_.emplace<Hearing>(Hearing{engine_->announcement_on(user_comm), std::move(without_buffers)});
}

void Task::refuse(const base::Error& why)
{
    const std::lock_guard lock(graph_->mutex);
    kept_.reset();
    current_ = nullptr;
    takes_mpi_ = graph_->has_misfits = true;
    state_.emplace<Verifying>(*graph_, verify::CallSignature(graph_->graph_info, function_, why, true));
}

void Task::start(bool to_run)
{
    const std::lock_guard lock(graph_->mutex);
    begin(to_run);
}

[[gnu::hot]] void Task::begin(bool to_run)
{
    try {
        graph_->require_whole();
        failures_ = {};
        if (prepared_) {
            const PreparedCall::OneWay& way = prepared_->begin(to_run);
            current_ = way.kept.get();
            stamp_ = way.stamp;
            if (prepared_->is_connecting()) [[unlikely]]
                state_.emplace<Connecting>();
            else
                state_.emplace<Running>();
        }
        if (current_ != nullptr && !std::holds_alternative<Connecting>(state_)) post();
    } catch (...) {
        after_.reset(); // it was for this start
        throw;
    }
    over_.store(false, std::memory_order_release);
}

[[gnu::hot]] void Task::post()
{
    if (after_) [[unlikely]]
        current_->operation->start_behind(*std::exchange(after_, std::nullopt), stamp_);
    else
        current_->operation->start(stamp_);
}

void Task::follow(void* stream)
{
    const std::lock_guard lock(graph_->mutex);
    base::require(memory::any_driver(), base::ErrorKind::arg, "stream", memory::no_driver);
    after_ = stream;
}

bool Task::precede(void* stream, runtime::Backoff& backoff)
{
    if (advance(true, backoff)) return true;
    const std::lock_guard lock(graph_->mutex);
    // The end of such a call needs the host.
    if (!over_.load() && !has_finish() && current_->operation->precede(stream)) end();
    return over_.load();
}

[[gnu::hot]] bool Task::advance(bool eager, runtime::Backoff& backoff)
{
    if (over_.load(std::memory_order_acquire)) return true;
    const std::unique_lock lock = mpi::lock_to_drive(graph_->mutex, eager);
    if (!lock) return false;
    if (!over_.load() && go_on(backoff)) end();
    if (!over_.load() && failures_.is_time()) give_up_if_lost();
    return over_.load();
}

[[gnu::hot]] bool Task::go_on(runtime::Backoff& backoff)
{
    std::optional<mpi::QuietRequests> quiet;
    if (is_on_user_comm_) [[unlikely]]
        quiet.emplace(mpi::QuietRequests::Of::collectives);
    if (!std::holds_alternative<Running>(state_)) [[unlikely]] {
        if (!std::visit([this](auto& state) { return leave(state); }, state_)) return false;
        const bool is_posted = !std::holds_alternative<Connecting>(state_);
        state_.emplace<Running>();
        if (current_ == nullptr || (!is_posted && failure_)) return true;
        if (!is_posted) post();
    }
    if (!current_->operation->advance(backoff)) return false;
    if (has_finish()) [[unlikely]]
        finish();
    return true;
}

void Task::finish()
{
    if (current_->operation->has_failed()) return;
    try {
        prepared_->finish();
    } catch (...) {
        keep_failure(std::current_exception());
    }
}

bool Task::leave(Connecting&)
{
    try {
        return prepared_->go_on_connecting();
    } catch (...) { // a process has failed
        keep_failure(std::current_exception());
        graph_->give_up();
        return true;
    }
}

bool Task::leave(Hearing& state)
{
    try {
        if (!state.names->advance()) return false;
        if (state.names->says_nothing()) return true;
        // Only now it is known whether an algorithm that the call is bound to can serve it.
        auto graph_info = std::make_shared<topology::GraphInfo>(*graph_->graph_info);
        graph_info->settings = topology::make_settings(state.names->named());
        Context context(std::move(graph_info));
        context.plan(context.specification_of(*state.call, Way::detached));
    } catch (...) { // does not stop the operation
        keep_failure(std::current_exception());
    }
    return true;
}

bool Task::leave(Verifying& verification)
{
    if (!verification.advance()) return false;
    if (verification.failure() != MPI_SUCCESS)
        keep_failure(std::make_exception_ptr(mpi::Failure(verification.failure())));
    if (verification.finding()) {
        failure_ = std::make_exception_ptr(*verification.finding());
        graph_->has_misfits = true;
        if (current_ != nullptr) current_->operation->abandon(verification.misfits());
    }
    return true;
}

[[gnu::hot]] void Task::end()
{
    state_.emplace<Over>();
    release();
    over_.store(true, std::memory_order_release);
}

[[gnu::hot]] void Task::release()
{
    if (std::exchange(has_tag_, false)) engine_->tags().give_back(stamp_.tag);
    if (std::exchange(is_on_user_comm_, false)) --engine_->on_user_comm;
}

void Task::give_up_if_lost()
{
    const int code = graph_->loss(true);
    if (code == MPI_SUCCESS) return;
    keep_failure(std::make_exception_ptr(mpi::Failure(code)));
    graph_->give_up();
    if (auto* const state = std::get_if<Verifying>(&state_)) state->give_up(code);
    if (current_ != nullptr) current_->operation->give_up(code);
}

[[gnu::hot]] void Task::rethrow() const
{
    if (failure_) std::rethrow_exception(failure_);
    current_->operation->rethrow();
}

bool Task::has_arrived(int slot)
{
    const std::lock_guard lock(graph_->mutex);
    const auto& [rank, sources, targets] = graph_->graph_info->lists;
    const int slots = static_cast<int>(sources.size());
    base::require(slot >= 0 && slot < slots, base::ErrorKind::arg, "inneighbor", "inneighbor: slot ", slot,
                  " is none of ", slots, " in-neighbors");
    const int source = sources[static_cast<std::size_t>(slot)];
    if (over_.load() || source == grid::gap) return true;
    const Decision& decision = *current_->bound.decision;
    const planner::Collective collective = decision.plan.algorithm->collective;
    if (decision.call.root && collective != planner::Collective::reduce &&
        !call::has_block(collective, *decision.call.root, source, rank))
        return true;
    if (std::holds_alternative<Connecting>(state_)) return false;
    // Where in-neighbors have no blocks of their own, the whole will do.
    Operation& operation = *current_->operation;
    const bool has_blocks = !operation.reduces() && !(prepared_ && prepared_->call().halo) &&
                            operation.binding().receive_slots() == slots;
    return has_blocks && operation.has_arrived(slot);
}

std::string Task::explanation() const
{
    const std::lock_guard lock(graph_->mutex);
    return prepared_ ? prepared_->text()
                     : explain(graph_->title(), *current_->bound.decision, *current_->bound.binding);
}

runtime::Waiting Task::waiting()
{
    const std::lock_guard lock(graph_->mutex);
    runtime::Waiting result = graph_->waiting(function_, waiting_for());
    if (!prepared_) return result;
    const Call& call = prepared_->call();
    result.which = runtime::which_by_name(call.name);
    if (!call.name.empty() || call.arrays.empty()) return result;
    result.which = " of " + call.arrays;
    result.number = prepared_->number();
    return result;
}

std::vector<int> Task::waiting_for()
{
    if (auto* const state = std::get_if<Verifying>(&state_)) return state->waiting_for();
    if (std::holds_alternative<Connecting>(state_)) return prepared_->unheard();
    return current_ != nullptr ? current_->operation->waiting_for() : std::vector<int>();
}

} // namespace ortho::engine
