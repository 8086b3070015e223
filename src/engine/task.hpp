// SPDX-License-Identifier: BSD-3-Clause
// The task of a call on a graph that is started: a non-blocking one, or a persistent one.
#pragma once

#include <mpi.h>

#include <atomic>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "engine/context.hpp"
#include "engine/kept_operations.hpp"
#include "engine/prepared_call.hpp"
#include "mpi/process_failure.hpp"
#include "request/task.hpp"
#include "runtime/stall_report.hpp"
#include "topology/agreed_settings.hpp"
#include "topology/graph.hpp"
#include "verify/call_signature.hpp"
#include "verify/verification.hpp"

namespace ortho::engine {

/// A call on a graph that is started, and goes on when it is driven.  A task has one state at a time:
///
///   state        until                                              its messages are
///   Connecting   its channels lead to all partners (ORTHO_Run)      not posted
///   Hearing      rank 0 has told which algorithms it names          under way
///   Verifying    all neighbors have told what they call             under way
///   Running      they are through                                   under way
///   Over         it is started again, if it is persistent           through
///
/// Hearing is a state of calls on a graph that is not attached, and Verifying one of calls that are verified;
/// both are non-blocking.
class Task final : public request::Task {
public:
    /// A non-blocking call, of which nothing is known yet.  On an attached graph it takes the next tag in
    /// turn, as soon as that is free, and so counts on all processes.
    Task(std::shared_ptr<topology::Graph> graph, const char* function);
    /// A non-blocking call that comes again.  Under the mutex.  On an attached graph the next tag must be
    /// free.
    Task(Engine& engine, std::unique_ptr<KeptOperation> kept);
    /// A persistent call.
    explicit Task(std::unique_ptr<PreparedCall> prepared);
    ~Task() override;

    /// Plans and binds a non-blocking call.  `user_comm`: for a graph that is not attached.
    void bind(const Call& call, const ListArguments& list, MPI_Comm user_comm);
    /// This process refuses the call, which is verified: the task tells the neighbors why, and does nothing
    /// else.
    void refuse(const base::Error& why);

    void start(bool to_run) override;
    /// Likewise, under the mutex.
    void begin(bool to_run);
    void follow(void* stream) override;
    bool precede(void* stream, runtime::Backoff& backoff) override;
    bool advance(bool eager, runtime::Backoff& backoff) override;
    bool takes_mpi() const override
    {
        return takes_mpi_ || (prepared_ && prepared_->takes_mpi()) || current_->bound.binding->takes_mpi();
    }
    void rethrow() const override;
    bool has_arrived(int slot) override;
    std::string explanation() const override;
    runtime::Waiting waiting() override;
    MPI_Comm error_comm() const noexcept override { return graph_->error_comm(); }

    grid::Stencil unfilled(int field) const override
    {
        return prepared_ ? prepared_->unfilled(field) : request::Task::unfilled(field);
    }
    void move_field(const request::FieldMove& move) override
    {
        return prepared_ ? prepared_->move_field(move) : request::Task::move_field(move);
    }
    void rebind_fields(std::span<void* const> bases) override { prepared_->rebind_fields(bases); }
    std::vector<void*> bases_of_fields(std::span<const ORTHO_Field> fields) const override
    {
        return prepared_->bases_of_fields(fields);
    }
    void rebind_buffers(const void* send, void* receive) override
    {
        prepared_->rebind_buffers(send, receive);
    }

private:
    struct Connecting {};
    struct Hearing {
        std::shared_ptr<topology::Announcement> names;
        std::unique_ptr<const Call> call; ///< without buffers
    };
    using Verifying = verify::Verification;
    struct Running {};
    struct Over {};

    // All of these are called under the graph's mutex.

    void post();
    /// Goes on; true once it is over.
    bool go_on(runtime::Backoff& backoff);
    /// Leaves a state before Running.  False if it is too early.
    bool leave(Connecting& state);
    bool leave(Hearing& state);
    bool leave(Verifying& verification);
    bool leave(Running&) { return true; }
    bool leave(Over&) { return true; }
    bool has_finish() const { return prepared_ && prepared_->call().at_end.act != nullptr; }
    void finish();
    void end();
    /// Gives back what the operation has until it is over.
    void release();
    /// A task that has been under way for long ends with an error if a process has failed.
    void give_up_if_lost();
    void keep_failure(std::exception_ptr failure)
    {
        if (!failure_) failure_ = std::move(failure);
    }
    std::vector<int> waiting_for();

    std::shared_ptr<topology::Graph> graph_;
    const char* function_;
    std::variant<Running, Connecting, Hearing, Verifying, Over> state_;
    std::atomic<bool> over_ = true; ///< it is not under way
    KeptOperation* current_ =
        nullptr; ///< whose operation is under way, or will be next; null if it was refused
    transport::Stamp stamp_;
    std::optional<void*> after_; ///< a stream whose work comes before the next start
    std::exception_ptr failure_; ///< what was found wrong outside of the operation
    bool takes_mpi_ = false;     ///< for more than the operation's messages
    mpi::FailureWatch failures_;

    std::unique_ptr<PreparedCall> prepared_; // null if it is non-blocking
    // A non-blocking call has these:
    Engine* engine_ = nullptr;
    unsigned drops_ = 0; // of plans, when this was planned
    std::unique_ptr<KeptOperation> kept_;
    bool has_tag_ = false;
    bool is_on_user_comm_ = false; // it counts as an operation there
};

} // namespace ortho::engine
