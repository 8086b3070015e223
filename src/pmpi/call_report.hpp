// SPDX-License-Identifier: BSD-3-Clause
// Counts of MPI's calls that were replaced, and times of ours.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>

#include "pmpi/pmpi_settings.hpp"

namespace ortho::pmpi {

/// Counts the calls of one function.  Make it once; it must live to the end.
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

    /// The counter for starts of the persistent operations that this function has made.
    Counter& starts();

    /// Counts a call on a communicator with a topology that was left to MPI.
    void leave() { left_.fetch_add(1, std::memory_order_relaxed); }

    /// The number of calls for a Timing that continues a call counted already.
    static constexpr std::uint64_t same_call = 0;

    /// Measures a call of ours as long as this object lives.  Does nothing unless a report is wanted.
    class Timing {
    public:
        explicit Timing(Counter& counter, std::uint64_t calls = 1) : counter_(counter), calls_(calls)
        {
            // Reading the clock twice takes as long as a small call.
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

/// Prints the counters to stderr, once, on rank 0 of MPI_COMM_WORLD, if ORTHO_PMPI_REPORT is set.  Call it
/// while MPI is running.
void print_report();

} // namespace ortho::pmpi
