// SPDX-License-Identifier: BSD-3-Clause
// ORTHO_STALL_S, ORTHO_STALL_ABORT: a process that waits long names the processes that it waits for.
#pragma once

#include <mpi.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace ortho::runtime {

/// The user's settings for long waits.
struct StallSettings {
    int seconds = 0;     ///< ORTHO_STALL_S; 0: no reports
    bool aborts = false; ///< ORTHO_STALL_ABORT
};

/// The time for verified calls, unless the user sets another one.
inline constexpr int seconds_where_verified = 60;

/// The settings of this process's environment, until set_stall_settings() is called.
StallSettings stall_settings() noexcept;
/// Sets the settings of rank 0's environment; mpiexec often keeps variables from the other ranks.
void set_stall_settings(const StallSettings& settings) noexcept;

/// Has any communicator of this process calls that are verified (ORTHO_VERIFY)?
inline std::atomic<bool> any_verified{false};

/// A process that waits.
struct Waiting {
    std::string function;
    std::string title;        ///< of the communicator
    int rank = 0;             ///< of this process
    std::vector<int> ranks{}; ///< ranks that it waits for; empty if they are not known
    std::string which{};      ///< which of the function's requests, in words behind its name
    int number = 0;           ///< the process has made it as this persistent request; 0: it has a name
};

/// The words for a request with the name that the user has given; empty if there is none.
inline std::string which_by_name(const std::string& name)
{
    return name.empty() ? std::string() : " '" + name + "'";
}

/// While it lives, reports of this thread say this of what the public call waits for.  For calls without a
/// communicator among their arguments.
class WaitsFor {
public:
    explicit WaitsFor(std::function<Waiting()> what)
        : what_(std::move(what)),
          outer_(std::exchange(current_, this))
    {}
    ~WaitsFor() { current_ = outer_; }
    WaitsFor(const WaitsFor&) = delete;
    WaitsFor& operator=(const WaitsFor&) = delete;

    /// Null if there is none.
    static const WaitsFor* current() noexcept { return current_; }
    Waiting what() const { return what_(); }

private:
    static inline thread_local const WaitsFor* current_ = nullptr;
    std::function<Waiting()> what_;
    const WaitsFor* outer_;
};

/// Watches one wait, and tells once when it has taken as long as the user says.
class StallWatch {
public:
    StallWatch() noexcept : settings_(stall_settings())
    {
        if (settings_.seconds > 0) begin_ = Clock::now();
    }

    /// Is it time for the report?  A second later this ends the program, if the user wants so: by then others
    /// have reported, too.
    bool is_time() { return settings_.seconds > 0 && has_come(); }
    /// Writes to stderr.  `inside`: the function that waits for the call, if it is another one.
    void report(const char* inside, const Waiting& waiting) const;
    /// Reports a wait inside the current public call for other processes in this call.
    void report() const;

private:
    using Clock = std::chrono::steady_clock;

    bool has_come();

    StallSettings settings_;
    bool has_told_ = false;
    Clock::time_point begin_{};
};

} // namespace ortho::runtime
