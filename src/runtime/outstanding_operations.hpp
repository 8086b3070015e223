// SPDX-License-Identifier: BSD-3-Clause
// What must go on while somebody waits.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

#include "runtime/backoff.hpp"

namespace ortho::runtime {

/// Something under way that goes on when it is driven.
class Driven {
public:
    Driven() = default;
    Driven(const Driven&) = delete;
    Driven& operator=(const Driven&) = delete;
    virtual ~Driven() = default;

    /// Goes on as far as possible without waiting; true once it is over.  `eager`: wait for the lock of its
    /// communicator, else pass by if some thread has it.  It leaves the list alone.
    virtual bool advance(bool eager, Backoff& backoff) = 0;

    /// Does MPI complete requests when it is driven?  Then errors of those are to be kept quiet.
    virtual bool takes_mpi() const { return true; }

private:
    friend class OutstandingOperations;
    static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);
    std::size_t position_ = nowhere; // in the list
};

/// What is under way in this process.  Whoever waits for another process drives all of it, since a third one
/// may wait for that.
class OutstandingOperations {
public:
    /// Enlists what has been started; it leaves by itself when it is over.
    static void add(Driven& driven);
    /// Something that is no more.
    static void remove(Driven& driven);
    /// Keeps what nobody waits for any more until it is over, at the latest at MPI_Finalize.
    static void adopt(std::unique_ptr<Driven> driven);
    /// Drives all of it.
    static void progress(Backoff& backoff);
    /// The same for a call that looks once, and may be made again and again.
    static void look(Backoff& backoff)
    {
        Backoff::look_once();
        progress(backoff);
    }
    /// Is there anything?
    static bool any() noexcept { return number_.load(std::memory_order_acquire) > 0; }
    /// Sleeps until there is something, or until `ends` is set and then wake() is called; is there anything?
    static bool wait_for_any(const std::atomic<bool>& ends) noexcept;
    static void wake() noexcept;

private:
    static void put_in(Driven& driven);
    static void take_out(Driven& driven);

    static inline std::atomic<std::size_t> number_{0};
};

} // namespace ortho::runtime
