// SPDX-License-Identifier: BSD-3-Clause
// The program's communicator behind operations of ours, which may outlive it.
#pragma once

#include <mpi.h>

#include <memory>
#include <mutex>
#include <string>

#include "mpi/comm.hpp"
#include "mpi/mutex.hpp"

namespace ortho::mpi {

/// A communicator of the program's, and after its end what errors need of it: its error handler.
class UsersComm {
public:
    /// The one that an attribute of the communicator keeps, and tells of its end.  Local.
    static std::shared_ptr<UsersComm> of(MPI_Comm comm);

    /// MPI_COMM_NULL once it is freed.
    MPI_Comm get() const
    {
        const std::lock_guard lock(mutex_);
        return comm_;
    }
    void set(MPI_Comm comm);
    /// Called when the program frees the communicator: later nobody can ask it.
    void lose();
    /// True if it had been revoked when it was freed.
    bool was_revoked() const { return was_revoked_; }

    /// The communicator for raising errors: the program's, or after its end one of ours with its error
    /// handler.
    MPI_Comm for_errors() noexcept;
    /// Its title in reports.
    std::string title() const;

private:
    /// MPI may report during any of its calls that the communicator is freed.
    mutable Mutex mutex_;
    MPI_Comm comm_ = MPI_COMM_NULL;
    Errhandler handler_; ///< that of the communicator, once it is freed
    bool was_revoked_ = false;
    Comm own_;
};

} // namespace ortho::mpi
