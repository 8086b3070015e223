// SPDX-License-Identifier: BSD-3-Clause
// Processes that die: ULFM, where the MPI has it (Open MPI 5) and was started with it.
#pragma once

#include <mpi.h>

#include <atomic>
#include <chrono>

namespace ortho::mpi {

#ifdef ORTHO_MPI_ULFM

namespace detail {
inline std::atomic<bool> ulfm{false}; // until MPI is asked
}
/// Was MPI started with ULFM?  Else the death of a process ends the program.
inline bool processes_may_fail() noexcept { return detail::ulfm.load(std::memory_order_relaxed); }
/// Asks MPI.
void look_for_ulfm() noexcept;

/// Was the communicator revoked?  Local.
bool is_revoked(MPI_Comm comm) noexcept;
/// Has a process of it failed, as far as is known here?  Local.  What the user has acknowledged stays.
bool has_failed(MPI_Comm comm) noexcept;

/// The communicator is the library's own, and may be revoked.
void set_own(MPI_Comm comm);
/// Ends with an error all that is under way on a communicator of the library's own, on all its processes.
/// Leaves others alone.
void end_all_on(MPI_Comm comm) noexcept;

/// What the user is told, on `comm`, of an error on a communicator of the library's own: that is revoked for
/// whatever reason.
int code_for_user(MPI_Comm comm, int code) noexcept;

#else

constexpr bool processes_may_fail() noexcept { return false; }
inline void look_for_ulfm() noexcept {}
inline bool is_revoked(MPI_Comm) noexcept { return false; }
inline bool has_failed(MPI_Comm) noexcept { return false; }
inline void set_own(MPI_Comm) {}
inline void end_all_on(MPI_Comm) noexcept {}
inline int code_for_user(MPI_Comm, int code) noexcept { return code; }

#endif

/// Why an operation on the communicator may never end: the code of MPIX_ERR_REVOKED or MPIX_ERR_PROC_FAILED.
/// MPI_SUCCESS if nothing is known.  Local.
int loss_on(MPI_Comm comm) noexcept;
/// Likewise of the communicator of the public call that this thread is in.
int loss_in_call() noexcept;
/// The codes where it is known what is lost.
int code_of_revoked() noexcept;
int code_of_failed() noexcept;

/// Of something that waits for other processes: where processes may fail, tells every 50 ms that it is time
/// to ask whether one has.  Costs nothing elsewhere.
class FailureWatch {
public:
    FailureWatch() noexcept
    {
        if (processes_may_fail()) [[unlikely]]
            next_ = Clock::now() + patience;
    }
    bool is_time() noexcept { return processes_may_fail() && has_come(); }

private:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::milliseconds patience{50};

    bool has_come() noexcept
    {
        const auto now = Clock::now();
        if (now < next_) return false;
        next_ = now + patience;
        return true;
    }

    Clock::time_point next_{};
};

} // namespace ortho::mpi
