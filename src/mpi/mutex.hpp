// SPDX-License-Identifier: BSD-3-Clause
// Mutual exclusion of threads that call MPI.
#pragma once

#include <mutex>

#include "mpi/library_lifetime.hpp"

namespace ortho::mpi {

/// A mutex that takes no time in programs without MPI_THREAD_MULTIPLE: their threads do not call MPI, and so
/// us, at the same time.
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
    bool is_locked_ = false; // has_threads() may have changed since
};

/// The lock for driving an operation: waits if `eager`; else owns nothing if another thread has the mutex.
inline std::unique_lock<Mutex> lock_to_drive(Mutex& mutex, bool eager)
{
    return eager ? std::unique_lock(mutex) : std::unique_lock(mutex, std::try_to_lock);
}

} // namespace ortho::mpi
