// SPDX-License-Identifier: BSD-3-Clause
// How often calls of MPI's were replaced, and how long ours took.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>

#include "pmpi/pmpi_settings.hpp"

namespace ortho::pmpi {

/// What became of the calls to one function.  To be made once, and never to go.
class Counter {
public:
    explicit Counter(const char* function, bool is_of_starts = false);
    Counter(const Counter&) = delete;
    Counter& operator=(const Counter&) = delete;

    const char* function() const { return function_; }
    bool is_of_starts() const { return is_of_starts_; }
    std::uint64_t calls() const { return calls_.load(std::memory_order_relaxed); }
    std::uint64_t left() const { return left_.load(std::memory_order_relaxed); }
    std::uint64_t nanoseconds() const { return nanoseconds_.load(std::memory_order_relaxed); }

    /// What became of the starts of the persistent operations that it has made.
    Counter& starts();

    /// A call on a communicator that carries a topology was left to MPI.
    void leave() { left_.fetch_add(1, std::memory_order_relaxed); }

    /// Says of a stretch of time that it belongs to a call which has been counted: the operation goes on.
    static constexpr std::uint64_t same_call = 0;

    /// A call that is ours, as long as this lives.  Nothing is counted where no report is asked for.
    class Timing {
    public:
        explicit Timing(Counter& counter, std::uint64_t calls = 1) : counter_(counter), calls_(calls)
        {
            // Twice the clock takes as long as a small call.
            if (wants_report()) begin_ = Clock::now();
        }
        Timing(const Timing&) = delete;
        Timing& operator=(const Timing&) = delete;
        ~Timing()
        {
            if (!wants_report()) return;
            const auto time = std::chrono::nanoseconds(Clock::now() - begin_).count();
            counter_.calls_.fetch_add(calls_, std::memory_order_relaxed);
            counter_.nanoseconds_.fetch_add(static_cast<std::uint64_t>(time), std::memory_order_relaxed);
        }

    private:
        using Clock = std::chrono::steady_clock;
        Counter& counter_;
        std::uint64_t calls_;
        Clock::time_point begin_{};
    };

private:
    const char* function_;
    bool is_of_starts_;
    std::once_flag makes_starts_;
    Counter* starts_ = nullptr;
    std::atomic<std::uint64_t> calls_{0};
    std::atomic<std::uint64_t> left_{0};
    std::atomic<std::uint64_t> nanoseconds_{0};
};

/// On rank 0 of MPI_COMM_WORLD, if ORTHO_PMPI_REPORT asks for it: print what the counters say, to stderr,
/// once.  While MPI is there.
void print_report();

} // namespace ortho::pmpi
