// SPDX-License-Identifier: BSD-3-Clause
// Which public function this thread is in.
#pragma once

#include <mpi.h>

namespace ortho::mpi {

/// The public call that this thread is in, for reports: set by guard().
class PublicCall {
public:
    PublicCall(const char* function, MPI_Comm comm) noexcept
        : function_(function),
          comm_(comm),
          of_thread_(current_),
          outer_(of_thread_)
    {
        of_thread_ = this;
    }
    ~PublicCall() { of_thread_ = outer_; }
    PublicCall(const PublicCall&) = delete;
    PublicCall& operator=(const PublicCall&) = delete;

    /// Null outside of all.
    static const PublicCall* current() noexcept { return current_; }
    const char* function() const noexcept { return function_; }
    /// MPI_COMM_NULL of calls on windows.
    MPI_Comm comm() const noexcept { return comm_; }

private:
    static inline thread_local const PublicCall* current_ = nullptr;
    const char* function_;
    MPI_Comm comm_;
    const PublicCall*& of_thread_; // which takes a function call to find
    const PublicCall* outer_;
};

} // namespace ortho::mpi
