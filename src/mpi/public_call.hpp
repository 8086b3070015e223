// SPDX-License-Identifier: BSD-3-Clause
// Which public function this thread is in.
#pragma once

#include <mpi.h>

#include <utility>

namespace ortho::mpi {

/// The public call that this thread is in, for reports: set by guard().
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

    /// Null outside of all.
    static const PublicCall* current() noexcept { return thread_.current; }
    /// Its own name, or that of MPI's function for which the interposer calls it.
    const char* function() const noexcept { return function_; }
    /// MPI_COMM_NULL of calls on windows.
    MPI_Comm comm() const noexcept { return comm_; }

    /// All processes that make this thread's call are in it.
    static void meet() noexcept
    {
        if (thread_.current != nullptr) thread_.current->has_met_ = true;
    }
    /// Is that known?
    bool has_met() const noexcept { return has_met_; }

    /// The calls that this thread makes get that name from now on; their own, if it is null.  Returns what was
    /// given before.
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
    OfThread& of_thread_; // which takes a function call to find
    const char* function_;
    MPI_Comm comm_;
    mutable bool has_met_ = false;
    const PublicCall* outer_;
};

/// The calls that this thread makes as long as it lives have that name.
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
