// SPDX-License-Identifier: BSD-3-Clause
// Processes that die: ULFM, if the MPI has it (Open MPI 5) and was started with it.
#pragma once

#include <mpi.h>

#include <atomic>
#include <chrono>

namespace ortho::mpi {

#ifdef ORTHO_MPI_ULFM

namespace detail {
inline std::atomic<bool> ulfm{false}; // until MPI is asked
}
/// Was MPI started with ULFM?  If not, the death of a process ends the program.
inline bool processes_may_fail() noexcept { return detail::ulfm.load(std::memory_order_relaxed); }
/// Asks MPI whether it was.
void look_for_ulfm() noexcept;

/// Was the communicator revoked?  Local.
bool is_revoked(MPI_Comm comm) noexcept;
/// Does this process know that a process of the communicator has failed?  Local; also if the user has
/// acknowledged it.
bool has_failed(MPI_Comm comm) noexcept;

/// Marks a communicator as the library's own, so that it may be revoked.
void set_own(MPI_Comm comm);
/// Ends all operations on one of the library's own communicators with an error, on all its processes.  Does
/// nothing on others.
void end_all_on(MPI_Comm comm) noexcept;

/// The code for the user, on `comm`, of an error on one of the library's own communicators, which may be
/// revoked for any reason.
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

/// The reason why an operation on the communicator may never end: the code of MPIX_ERR_REVOKED or
/// MPIX_ERR_PROC_FAILED; MPI_SUCCESS if no reason is known.  Local.
int loss_on(MPI_Comm comm) noexcept;
/// The reason for the communicator of this thread's current public call.
int loss_in_call() noexcept;
/// The codes of both reasons.
int code_of_revoked() noexcept;
int code_of_failed() noexcept;

/// For a process that waits for others: where processes may fail, says every 50 ms that it is time to ask
/// whether one has.  Costs nothing elsewhere.
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
