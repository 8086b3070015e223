// SPDX-License-Identifier: BSD-3-Clause
// Non-blocking and persistent operations on a graph.
#pragma once

#include <mpi.h>

#include <atomic>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/context.hpp"
#include "engine/operation.hpp"
#include "mpi/process_failure.hpp"
#include "mpi/quiet_errors.hpp"
#include "request/task.hpp"
#include "runtime/stall_report.hpp"
#include "topology/graph.hpp"

namespace ortho::engine {

/// The part that all tasks on a graph share.
class GraphTask : public request::Task {
public:
    explicit GraphTask(std::shared_ptr<topology::Graph> graph) : graph_(std::move(graph)) {}

    void start() final;
    void start_to_run() final;
    void follow(void* stream) override;
    bool precede(void* stream, runtime::Backoff& backoff) override;
    bool advance(bool eager, runtime::Backoff& backoff) override;
    bool takes_mpi() const override { return current_->bound.binding->takes_mpi(); }
    void rethrow() const override;
    bool has_arrived(int slot) override;
    std::string explanation() const override;
    runtime::Waiting waiting() override;
    MPI_Comm error_comm() const noexcept override { return graph_->error_comm(); }

protected:
    // All of these are called, and to be called, under the graph's mutex.

    /// It starts.
    virtual void begin();
    /// Begins an operation with which all processes stay until it is over.
    virtual void begin_to_run() { begin(); }
    /// Goes on; true once it is over.
    virtual bool go_on(runtime::Backoff& backoff) { return current_->operation->advance(backoff); }
    /// It is over.
    virtual void end() {}
    /// Processes have failed, and Graph::give_up() was called: it must come to an end now.
    virtual void give_up(int code) { current_->operation->give_up(code); }
    /// The processes that keep it from going on.
    virtual std::vector<int> waiting_for() { return current_->operation->waiting_for(); }
    virtual std::string text() const;

    /// The operation starts.
    void start_current()
    {
        if (after_) [[unlikely]]
            current_->operation->start_behind(*std::exchange(after_, std::nullopt), stamp_);
        else
            current_->operation->start(stamp_);
    }
    /// The call has everything in place, and the task that is derived has that.
    void set(KeptOperation& kept, const Call& call);

    std::shared_ptr<topology::Graph> graph_;
    KeptOperation* current_ = nullptr; ///< whose operation is under way, or will be next
    transport::Stamp stamp_;
    std::optional<void*> after_; ///< a stream whose work comes before the next start
    std::exception_ptr failure_; ///< what was found wrong when it was over
    int slots_ = 0;              ///< in-neighbors
    bool as_a_whole_ = false;    ///< its receive blocks are none of in-neighbors
    const char* function_ = "";
    std::atomic<bool> over_{true};

private:
    void start_by(void (GraphTask::*beginning)());
    /// It has been under way for long.
    void give_up_if_lost();

    mpi::FailureWatch failures_;
};

/// The tag of a non-blocking operation, until it is over, and its number.
class HeldTag {
public:
    explicit HeldTag(std::shared_ptr<topology::Graph> graph);
    /// One that is free.  Under the graph's mutex.
    explicit HeldTag(Engine& engine);
    HeldTag(HeldTag&& other) noexcept;
    HeldTag& operator=(HeldTag&&) = delete;
    ~HeldTag();

    int tag() const { return stamp_.tag; }
    const transport::Stamp& stamp() const { return stamp_; }
    /// Once only: another operation may have it by now.  Under the graph's mutex.
    void give_back();

private:
    std::shared_ptr<topology::Graph> graph_;
    Engine* engine_;
    transport::Stamp stamp_; // its tag is 0 once that is given back
};

/// The part of an operation on a graph that is not attached.  The operation is one collective of MPI's on the
/// user's communicator, which MPI completes by itself.  A private communicator would take several steps, and
/// a process may be away in MPI_Recv between any two of them.
class OnUserComm {
public:
    explicit OnUserComm(Engine& engine) : engine_(engine) { ++engine_.on_user_comm; }
    OnUserComm(const OnUserComm&) = delete;
    OnUserComm& operator=(const OnUserComm&) = delete;
    ~OnUserComm() { leave(); }

    /// The call may be bound to algorithms of which rank 0 tells.
    void wait_for_names(MPI_Comm user_comm, const Call& call);
    /// True once they are known.  Errors do not stop the operation.
    bool hear(std::exception_ptr& failure);
    /// The operation is over: only now it is known whether an algorithm that it is bound to can serve it.
    void end(std::exception_ptr& failure);

private:
    /// Once: when it is over, or has never begun.
    void leave()
    {
        if (is_there_) --engine_.on_user_comm;
        is_there_ = false;
    }

    Engine& engine_;
    bool is_there_ = true;
    std::shared_ptr<topology::Announcement> names_; // null if it is bound to none
    Call call_{};
};

/// A non-blocking call, or a blocking one on a graph that stays as it is, not attached.
class NonblockingTask : public GraphTask {
public:
    /// On an attached graph it has no tag before keep(); else it goes by `user_comm`, and needs none.
    NonblockingTask(std::shared_ptr<topology::Graph> graph, const Call& call, const ListArguments& list,
                    MPI_Comm user_comm = MPI_COMM_NULL);
    /// One that comes again.  Under the mutex.
    NonblockingTask(Engine& engine, std::unique_ptr<KeptOperation> kept);
    ~NonblockingTask() override;

    void keep(HeldTag tag) noexcept
    {
        stamp_ = tag.stamp();
        tag_.emplace(std::move(tag));
    }

protected:
    bool go_on(runtime::Backoff& backoff) override
    {
        if (!on_user_comm_) [[likely]]
            return GraphTask::go_on(backoff);
        const mpi::QuietRequests quiet(mpi::QuietRequests::Of::collectives);
        return on_user_comm_->hear(failure_) && GraphTask::go_on(backoff);
    }
    void end() override
    {
        if (tag_) tag_->give_back();
        has_ended_ = true;
        if (on_user_comm_) on_user_comm_->end(failure_);
    }

    Engine* engine_;

private:
    unsigned drops_ = 0; // of plans, when this was planned
    std::unique_ptr<KeptOperation> kept_;
    std::optional<HeldTag> tag_;
    std::unique_ptr<OnUserComm> on_user_comm_; // null on an attached graph
    bool has_ended_ = false;
};

} // namespace ortho::engine
