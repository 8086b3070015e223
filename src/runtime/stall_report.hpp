// SPDX-License-Identifier: BSD-3-Clause
// ORTHO_STALL_S, ORTHO_STALL_ABORT: who waits long says for whom.
#pragma once

#include <mpi.h>

#include <atomic>
#include <chrono>
#include <string>
#include <vector>

#include "mpi/public_call.hpp"

namespace ortho::runtime {

/// What users say of long waits.
struct StallSettings {
    int seconds = 0;     ///< ORTHO_STALL_S; 0: waiting is no matter
    bool aborts = false; ///< ORTHO_STALL_ABORT
};

/// Where calls are verified, and nobody says another time.
inline constexpr int seconds_where_verified = 60;

/// Of this process, until set_stall_settings(): what its environment says.
StallSettings stall_settings() noexcept;
/// What rank 0's environment says, which mpiexec often keeps from the others.
void set_stall_settings(const StallSettings& settings) noexcept;

/// Has any communicator of this process calls that are verified (ORTHO_VERIFY)?
inline std::atomic<bool> any_verified{false};

/// Somebody who waits.
struct Waiting {
    std::string function;
    std::string title;        ///< of the communicator
    int rank = 0;             ///< of this process
    std::vector<int> ranks{}; ///< that it waits for; none: it is not known which
};

/// Of one wait: tells once when it has taken as long as the user says.
class StallWatch {
public:
    StallWatch() noexcept : settings_(stall_settings())
    {
        if (settings_.seconds > 0) begin_ = Clock::now();
    }

    /// A second after that it ends the program, if the user says so: by then others have told, too.
    bool is_time() { return settings_.seconds > 0 && has_come(); }
    /// On stderr.  `inside`: the function that waits for the call, if that is another.
    void report(const char* inside, const Waiting& waiting) const;
    /// Of a wait inside the current public call for what other processes do there.
    void report() const;

private:
    using Clock = std::chrono::steady_clock;

    bool has_come();

    StallSettings settings_;
    bool has_told_ = false;
    Clock::time_point begin_{};
};

} // namespace ortho::runtime
