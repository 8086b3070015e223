// SPDX-License-Identifier: BSD-3-Clause
// ORTHO_PROGRESS=thread: a thread that drives what is under way.

#include "mpi/progress_thread.hpp"

#include <sys/prctl.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <thread>

#include "mpi/library_lifetime.hpp"
#include "mpi/outstanding_operations.hpp"

namespace ortho::mpi {

namespace {

/// Between two looks.  The core belongs to the program's own threads.
constexpr std::chrono::microseconds between_looks{50};

class ProgressThread {
public:
    ProgressThread() : thread_([this] { run(); }) {}
    ProgressThread(const ProgressThread&) = delete;
    ProgressThread& operator=(const ProgressThread&) = delete;
    ~ProgressThread()
    {
        ends_.store(true);
        Outstanding::wake();
        thread_.join();
    }

private:
    void run()
    {
        // A sleep is not made longer, to save power.
        prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
        while (!ends_.load()) {
            if (!Outstanding::wait_for_any(ends_)) continue;
            Backoff backoff;
            Outstanding::progress(backoff);
            std::this_thread::sleep_for(between_looks);
        }
    }

    std::atomic<bool> ends_{false};
    std::thread thread_; // last: it uses the others
};

} // namespace

void start_progress_thread()
{
    static std::mutex mutex;
    static std::unique_ptr<ProgressThread>* const thread = new std::unique_ptr<ProgressThread>; // never ends
    const std::lock_guard lock(mutex);
    if (*thread) return;
    *thread = std::make_unique<ProgressThread>();
    at_finalize([] { thread->reset(); }, true);
}

} // namespace ortho::mpi
