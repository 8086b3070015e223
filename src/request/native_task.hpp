// SPDX-License-Identifier: BSD-3-Clause
// Operations that MPI runs by itself.
#pragma once

#include <mpi.h>

#include <exception>
#include <mutex>
#include <string>

#include "base/error.hpp"
#include "mpi/comm.hpp"
#include "mpi/mutex.hpp"
#include "mpi/quiet_errors.hpp"
#include "request/task.hpp"
#include "runtime/wait.hpp"

namespace ortho::request {

/// A non-blocking or persistent operation on a full or inter-communicator.
class NativeTask : public Task {
public:
    NativeTask(MPI_Comm comm, const char* function)
        : comm_(comm),
          function_(function),
          name_(mpi::comm_name_in_place(comm)),
          rank_(mpi::rank_of(comm)),
          size_(mpi::size_of(comm))
    {}

    void start() override
    {
        const std::lock_guard lock(mutex_);
        failure_ = nullptr;
        post(&request_);
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
            finish();
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

    runtime::Waiting waiting() override { return {function_, mpi::title_of(name_, size_), rank_}; }

    MPI_Comm error_comm() const noexcept override { return comm_; }

protected:
    /// Start it on MPI.
    virtual void post(MPI_Request* request) = 0;
    /// Does the work that is left here when MPI is through.
    virtual void finish() {}

    MPI_Comm comm_;
    MPI_Request request_ = MPI_REQUEST_NULL;

private:
    mpi::Mutex mutex_; // another thread may be the one to drive it
    const char* function_;
    // These describe the user's communicator, which may be gone when somebody asks.
    mpi::Name name_;
    int rank_;
    int size_;
    std::exception_ptr failure_;
    bool over_ = true;
};

} // namespace ortho::request
