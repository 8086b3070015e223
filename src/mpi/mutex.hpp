// SPDX-License-Identifier: BSD-3-Clause
// Mutual exclusion of threads that call MPI.
#pragma once

#include <mutex>

#include "mpi/library_lifetime.hpp"

namespace ortho::mpi {

/// Takes no time in programs whose threads do not call MPI, and so us, at the same time: all that did not ask
/// for MPI_THREAD_MULTIPLE.
class Mutex {
public:
    void lock()
    {
        if (!has_threads()) return;
        mutex_.lock();
        is_locked_ = true;
    }
    bool try_lock()
    {
        if (!has_threads()) return true;
        if (!mutex_.try_lock()) return false;
        is_locked_ = true;
        return true;
    }
    void unlock()
    {
        if (!is_locked_) return;
        is_locked_ = false;
        mutex_.unlock();
    }

private:
    std::mutex mutex_;
    bool is_locked_ = false; // has_threads() may have had another answer then
};

/// For those who drive an operation: waits for the mutex if `eager`, else passes by where another thread has
/// it.  The lock says whether it was taken.
inline std::unique_lock<Mutex> lock_to_drive(Mutex& mutex, bool eager)
{
    return eager ? std::unique_lock(mutex) : std::unique_lock(mutex, std::try_to_lock);
}

} // namespace ortho::mpi
