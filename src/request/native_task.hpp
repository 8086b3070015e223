// SPDX-License-Identifier: BSD-3-Clause
// Operations that MPI runs by itself.
#pragma once

#include <mpi.h>

#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "mpi/comm.hpp"
#include "mpi/error_handling.hpp"
#include "mpi/failure.hpp"
#include "mpi/library_lifetime.hpp"
#include "mpi/mutex.hpp"
#include "mpi/quiet_errors.hpp"
#include "mpi/users_comm.hpp"
#include "request/task.hpp"
#include "runtime/internal_collectives.hpp"
#include "runtime/wait.hpp"

namespace ortho::request {

/// A collective as MPI runs it, with copies of its arguments.
class NativeCall {
public:
    virtual ~NativeCall() = default;
    /// True if MPI has a persistent form of the call, and that is right.
    virtual bool is_prepared_by_mpi() const = 0;
    /// Another communicator of the same processes takes the place of the user's.
    virtual void move_to(MPI_Comm comm) = 0;
    /// Makes a persistent request of MPI's.
    virtual void prepare(MPI_Info info, MPI_Request* request) = 0;
    /// Starts it on MPI.
    virtual void post(MPI_Request* request) = 0;
    /// Does the work that is left here when MPI is through.
    virtual void finish() = 0;
};

/// A non-blocking or persistent operation on a full or inter-communicator.  It is no engine::Task: it has no
/// graph, and one request of MPI's in place of messages.
class NativeTask final : public Task {
public:
    /// `comm`: the user's.
    NativeTask(MPI_Comm comm, const char* function)
        : comm_(comm),
          users_(mpi::UsersComm::of(comm)),
          function_(function),
          name_(mpi::comm_name_in_place(comm)),
          rank_(mpi::rank_of(comm)),
          size_(mpi::size_of(comm))
    {}
    ~NativeTask() override
    {
        if (is_prepared_ && request_ != MPI_REQUEST_NULL && mpi::is_running()) PMPI_Request_free(&request_);
    }

    /// The call goes by a communicator of its own, which this returns: persistent operations may be started
    /// in any order, and after the user has freed theirs.  Collective.
    MPI_Comm make_own_comm()
    {
        own_ = runtime::bare_copy(comm_);
        copy_errhandler();
        return comm_ = own_.get();
    }
    void set(std::unique_ptr<NativeCall> call) { call_ = std::move(call); }
    /// The user's name for the request.
    void set_name(std::string name) { users_name_ = std::move(name); }
    /// The call is made persistent by MPI.
    void prepare(MPI_Info info)
    {
        call_->prepare(info, &request_);
        is_prepared_ = true;
    }
    /// The call may get other buffers: `rebind(send, receive)` makes the call with these.
    using Rebind = std::function<std::unique_ptr<NativeCall>(const void*, void*)>;
    void set_rebind(Rebind rebind) { rebind_ = std::move(rebind); }

    void rebind_buffers(const void* send, void* receive) override
    {
        if (!rebind_) return Task::rebind_buffers(send, receive);
        call_ = rebind_(send, receive);
    }

    void start(bool) override
    {
        const std::lock_guard lock(mutex_);
        failure_ = nullptr;
        if (own_) copy_errhandler();
        if (is_prepared_)
            mpi::check_users(PMPI_Start(&request_));
        else
            call_->post(&request_);
        over_ = false;
    }

    bool advance(bool eager, runtime::Backoff&) override
    {
        const std::unique_lock lock = mpi::lock_to_drive(mutex_, eager);
        if (!lock) return false;
        if (over_) return true;
        const mpi::QuietRequests quiet(mpi::QuietRequests::Of::collectives);
        int flag = 0;
        const int code = runtime::test(&request_, &flag);
        if (code == MPI_SUCCESS && flag == 0) return false;
        over_ = true;
        try {
            if (code != MPI_SUCCESS) throw mpi::Failure(code, mpi::QuietRequests::raised_by());
            call_->finish();
        } catch (...) {
            failure_ = std::current_exception();
        }
        return true;
    }

    void rethrow() const override
    {
        if (failure_) std::rethrow_exception(failure_);
    }

    bool has_arrived(int slot) override
    {
        base::require(slot >= 0, base::ErrorKind::arg, "inneighbor", "inneighbor: slot ", slot,
                      " comes before slot 0");
        runtime::Backoff backoff;
        return advance(true, backoff);
    }

    std::string explanation() const override
    {
        return base::text("mpiortho: ", function_, " on rank ", rank_, " of ", mpi::title_of(name_, size_),
                          "\n  topology: none; on communicators without a graph the call is MPI's own ",
                          "collective\n");
    }

    runtime::Waiting waiting() override
    {
        return {function_, mpi::title_of(name_, size_), rank_, {}, runtime::which_by_name(users_name_)};
    }

    MPI_Comm error_comm() const noexcept override { return users_->for_errors(); }

private:
    /// MPI raises errors on our communicator as on the user's.
    void copy_errhandler() { mpi::copy_errhandler(users_->for_errors(), own_.get()); }

    MPI_Comm comm_;
    std::shared_ptr<mpi::UsersComm> users_;
    mpi::Comm own_;
    std::unique_ptr<NativeCall> call_;
    Rebind rebind_; // null if it cannot
    MPI_Request request_ = MPI_REQUEST_NULL;
    bool is_prepared_ = false; // the request is persistent
    mpi::Mutex mutex_;         // another thread may be the one to drive it
    const char* function_;
    // These describe the user's communicator, which may be gone when somebody asks.
    mpi::Name name_;
    int rank_;
    int size_;
    std::string users_name_;
    std::exception_ptr failure_;
    bool over_ = true;
};

} // namespace ortho::request
