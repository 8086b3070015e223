// SPDX-License-Identifier: BSD-3-Clause
// Operations that must go on while this process waits.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

#include "runtime/backoff.hpp"

namespace ortho::runtime {

/// An operation that goes on when it is driven.
class Driven {
public:
    Driven() = default;
    Driven(const Driven&) = delete;
    Driven& operator=(const Driven&) = delete;
    virtual ~Driven() = default;

    /// Goes on as far as possible without waiting; returns true once the operation is over.  `eager`: wait
    /// for the lock of its communicator; else do nothing if another thread has the lock.  Does not change the
    /// list.
    virtual bool advance(bool eager, Backoff& backoff) = 0;

    /// Does MPI complete requests when the operation is driven?  Then errors of requests must stay quiet.
    virtual bool takes_mpi() const { return true; }

private:
    friend class OutstandingOperations;
    static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);
    std::size_t position_ = nowhere; // in the list
    bool is_orphan_ = false;         // adopt() has it
    bool is_over_ = false;           // an orphan that the progress thread has seen end
};

/// The operations of this process that are under way.  A process that waits for another one drives all of
/// them, since a third process may wait for them.
class OutstandingOperations {
public:
    /// Adds a started operation; it leaves the list when it is over.
    static void add(Driven& driven);
    /// Removes an operation that is about to be destroyed.
    static void remove(Driven& driven);
    /// Keeps an operation that nobody waits for any more until it is over, at the latest at MPI_Finalize.
    static void adopt(std::unique_ptr<Driven> driven);
    /// Drives all operations.  `in_thread`: in the progress thread.  That thread must have left MPI when the
    /// program knows that its operations are over, because the program may call MPI_Finalize then
    /// (doc/mpi-bugs.md, 52).  No program knows when an adopted operation is over.  So the thread drives only
    /// adopted operations that do without MPI, and other threads destroy them.
    static void progress(Backoff& backoff, bool in_thread = false);
    /// Drives all operations in a call that looks once and may be repeated.
    static void look(Backoff& backoff)
    {
        Backoff::look_once();
        progress(backoff);
    }
    /// Is any operation under way?
    static bool any() noexcept { return number_.load(std::memory_order_acquire) > 0; }
    /// Sleeps until there is an operation, or until `ends` is set and then wake() is called.  Returns any().
    static bool wait_for_any(const std::atomic<bool>& ends) noexcept;
    static void wake() noexcept;

private:
    static void put_in(Driven& driven);
    static void take_out(Driven& driven);

    static inline std::atomic<std::size_t> number_{0};
};

} // namespace ortho::runtime
