// SPDX-License-Identifier: BSD-3-Clause
// Non-blocking calls that are verified.

#include "verify/nonblocking_start.hpp"

#include <algorithm>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/graph_task.hpp"
#include "engine/road.hpp"
#include "mpi/failure.hpp"
#include "planner/algorithm_list.hpp"
#include "runtime/outstanding_operations.hpp"
#include "transport/unmatched_messages.hpp"
#include "verify/call_signature.hpp"
#include "verify/verification.hpp"

namespace ortho::verify {

namespace {

/// A call that goes on once the neighbors' calls fit.
class VerifiedTask final : public engine::NonblockingTask {
public:
    VerifiedTask(std::shared_ptr<topology::Graph> graph, const call::Call& call,
                 const engine::ListArguments& list)
        : NonblockingTask(std::move(graph), call, list)
    {
        // An operation that forwards cannot be given up: other processes need it.
        if (current_->bound.decision->plan.algorithm->forwards) return;
        statement_.emplace(graph_->graph_info, call);
        statement_->begins(*current_->bound.binding);
    }

    bool takes_mpi() const override { return statement_ || NonblockingTask::takes_mpi(); }

private:
    void begin() override
    {
        if (statement_) verification_.emplace(*graph_, *statement_);
        NonblockingTask::begin();
    }
    bool go_on(runtime::Backoff& backoff) override
    {
        if (verification_) {
            if (!verification_->advance()) return false;
            if (verification_->failure() != MPI_SUCCESS && !failure_)
                failure_ = std::make_exception_ptr(mpi::Failure(verification_->failure()));
            if (verification_->finding()) {
                failure_ = std::make_exception_ptr(*verification_->finding());
                current_->operation->abandon(verification_->misfits());
            }
            verification_.reset();
        }
        return NonblockingTask::go_on(backoff);
    }
    void give_up(int code) override
    {
        if (verification_) verification_->give_up(code);
        NonblockingTask::give_up(code);
    }
    std::vector<int> waiting_for() override
    {
        return verification_ ? verification_->waiting_for() : NonblockingTask::waiting_for();
    }

    std::optional<CallSignature> statement_;
    std::optional<Verification> verification_;
};

/// A non-blocking call that this process refuses, where calls are verified: tells the neighbors why, and
/// receives their messages.
class RefusedTask final : public engine::GraphTask {
public:
    RefusedTask(std::shared_ptr<topology::Graph> graph, const char* function, const base::Error& refusal,
                engine::HeldTag tag)
        : GraphTask(std::move(graph)),
          tag_(std::move(tag)),
          statement_(graph_->graph_info, function, refusal)
    {
        function_ = function;
        statement_.begins_with_nothing();
    }

    bool takes_mpi() const override { return true; }
    bool has_arrived(int) override { return true; }

private:
    void begin() override
    {
        verification_.emplace(*graph_, statement_);
        over_ = false;
    }
    bool go_on(runtime::Backoff&) override
    {
        if (verification_) {
            if (!verification_->advance()) return false;
            misfits_ = verification_->misfits();
            verification_.reset();
        }
        try {
            return transport::take_in(graph_->private_comm.messages(), tag_.tag(), misfits_);
        } catch (const mpi::Failure&) { // nothing comes any more, and nobody waits for it
            return true;
        }
    }
    void end() override { tag_.give_back(); }
    void give_up(int code) override
    {
        misfits_.clear();
        if (verification_) verification_->give_up(code);
    }
    std::vector<int> waiting_for() override
    {
        return verification_ ? verification_->waiting_for() : std::vector<int>();
    }
    std::string text() const override { return {}; }

    engine::HeldTag tag_;
    CallSignature statement_;
    std::optional<Verification> verification_;
    std::vector<transport::UnmatchedMessage> misfits_; // of all neighbors
};

/// May some process forward in a non-blocking call, which is not verified then?  `call`: if it is known.
bool is_bound_to_forward(topology::Graph& graph, const std::optional<call::Call>& call)
{
    const std::vector<std::string>& names = graph.graph_info->settings->algorithms;
    return std::ranges::any_of(planner::all_algorithms(), [&](const planner::Algorithm* algorithm) {
        return algorithm->forwards && (!call || call->collective == algorithm->collective) &&
               std::ranges::find(names, algorithm->name) != names.end();
    });
}

} // namespace

std::unique_ptr<request::Task> start(MPI_Comm user_comm, const std::shared_ptr<topology::Graph>& graph,
                                     const char* function, const engine::Describe& describe,
                                     const engine::ListArguments& list)
{
    if (!graph->attached() || !graph->verification_comm)
        return engine::start(user_comm, graph, describe, list);
    std::optional<call::Call> call;
    std::optional<engine::HeldTag> tag;
    std::unique_ptr<VerifiedTask> task;
    try {
        call = describe();
        // Take the tag now: all processes must count it, whatever comes.
        tag.emplace(graph);
        task = std::make_unique<VerifiedTask>(graph, *call, list);
    } catch (...) {
        if (!is_bound_to_forward(*graph, call)) {
            if (!tag) tag.emplace(graph);
            auto refused = std::make_unique<RefusedTask>(graph, function, refusal_in_words(),
                                                         std::move(*tag));
            refused->start();
            runtime::OutstandingOperations::adopt(std::move(refused));
        }
        throw;
    }
    task->keep(std::move(*tag));
    task->start();
    return task;
}

} // namespace ortho::verify
