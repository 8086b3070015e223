// SPDX-License-Identifier: BSD-3-Clause
// ORTHO_PROGRESS=thread: a thread that drives operations.

#include "runtime/progress_thread.hpp"

#include <signal.h>
#include <sys/prctl.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <thread>

#include "mpi/library_lifetime.hpp"
#include "runtime/outstanding_operations.hpp"

namespace ortho::runtime {

namespace {

/// The pause between two looks.  The core belongs to the program's own threads.
constexpr std::chrono::microseconds between_looks{50};

/// While this object lives, the thread and threads that it makes block all signals but their own faults.
class NoSignals {
public:
    NoSignals()
    {
        sigset_t signals;
        sigfillset(&signals);
        for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) sigdelset(&signals, fault);
        pthread_sigmask(SIG_SETMASK, &signals, &before_);
    }
    ~NoSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    NoSignals(const NoSignals&) = delete;
    NoSignals& operator=(const NoSignals&) = delete;

private:
    sigset_t before_{};
};

class ProgressThread {
public:
    ProgressThread()
    {
        const NoSignals none; // signals are the program's
        thread_ = std::thread([this] { run(); });
    }
    ProgressThread(const ProgressThread&) = delete;
    ProgressThread& operator=(const ProgressThread&) = delete;
    ~ProgressThread()
    {
        ends_.store(true);
        OutstandingOperations::wake();
        thread_.join();
    }

private:
    void run()
    {
        // The system must not lengthen sleeps to save power.
        prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
        while (!ends_.load()) {
            if (!OutstandingOperations::wait_for_any(ends_)) continue;
            Backoff backoff;
            OutstandingOperations::progress(backoff, true);
            std::this_thread::sleep_for(between_looks);
        }
    }

    std::atomic<bool> ends_{false};
    std::thread thread_;
};

} // namespace

void start_progress_thread()
{
    static std::mutex mutex;
    static std::unique_ptr<ProgressThread>* const thread = new std::unique_ptr<ProgressThread>; // stays
    const std::lock_guard lock(mutex);
    if (*thread) return;
    *thread = std::make_unique<ProgressThread>();
    mpi::at_finalize([] { thread->reset(); }, mpi::AtEnd::before_all);
}

} // namespace ortho::runtime
