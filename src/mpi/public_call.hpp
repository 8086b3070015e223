// SPDX-License-Identifier: BSD-3-Clause
// The current public function of a thread.
#pragma once

#include <mpi.h>

#include <utility>

namespace ortho::mpi {

/// The public call that this thread is in, for reports.  guard() makes it.
class PublicCall {
public:
    PublicCall(const char* function, MPI_Comm comm) noexcept
        : of_thread_(thread_),
          function_(of_thread_.alias != nullptr ? of_thread_.alias : function),
          comm_(comm),
          outer_(of_thread_.current)
    {
        of_thread_.current = this;
    }
    ~PublicCall() { of_thread_.current = outer_; }
    PublicCall(const PublicCall&) = delete;
    PublicCall& operator=(const PublicCall&) = delete;

    /// Null outside of public calls.
    static const PublicCall* current() noexcept { return thread_.current; }
    /// The call's own name, or the name of MPI's function for which the interposer calls it.
    const char* function() const noexcept { return function_; }
    /// MPI_COMM_NULL for calls on windows.
    MPI_Comm comm() const noexcept { return comm_; }
    /// True for a call that another public call has made.
    bool is_nested() const noexcept { return outer_ != nullptr; }

    /// Notes that all processes have entered this thread's call.
    static void meet() noexcept
    {
        if (thread_.current != nullptr) thread_.current->has_met_ = true;
    }
    /// Is it known that all processes have entered the call?
    bool has_met() const noexcept { return has_met_; }

    /// Gives this thread's calls a name, from now on; null: their own names.  Returns the name before.
    static const char* give_name(const char* function) noexcept
    {
        return std::exchange(thread_.alias, function);
    }

private:
    struct OfThread {
        const PublicCall* current;
        const char* alias;
    };
    static inline thread_local OfThread thread_{nullptr, nullptr};
    OfThread& of_thread_; // finding it takes a function call
    const char* function_;
    MPI_Comm comm_;
    mutable bool has_met_ = false;
    const PublicCall* outer_;
};

/// Gives this thread's calls a name as long as the object lives.
class CallsNamed {
public:
    explicit CallsNamed(const char* function) noexcept : before_(PublicCall::give_name(function)) {}
    ~CallsNamed() { PublicCall::give_name(before_); }
    CallsNamed(const CallsNamed&) = delete;
    CallsNamed& operator=(const CallsNamed&) = delete;

private:
    const char* before_;
};

} // namespace ortho::mpi
