// SPDX-License-Identifier: BSD-3-Clause
// The library's life: between MPI_Init and MPI_Finalize, or as long as a program with sessions uses it.
#pragma once

#include <mpi.h>

#include <atomic>
#include <functional>

#include "mpi/session.hpp"

namespace ortho::mpi {

namespace detail {
enum class Life : unsigned char { unborn, running, over };
inline std::atomic<Life> life{Life::unborn};
void look_for_mpi();
} // namespace detail

/// Between the first call and the farewell.  Destructors that free MPI objects ask first.
inline bool is_running() noexcept
{
    return detail::life.load(std::memory_order_acquire) == detail::Life::running;
}

/// Throws base::Error (other) before MPI_Init and after MPI_Finalize.  A program that never calls MPI_Init has
/// MPI from its first public call on a communicator of a session on.
inline void require_mpi()
{
    if (!is_running()) [[unlikely]]
        detail::look_for_mpi();
}

/// Throws as require_mpi(), and where this thread is in a public call without a communicator, and none of a
/// session is known to be there.  The first call hangs a farewell on MPI_COMM_SELF, whose attributes
/// MPI_Finalize deletes first of all.
void require_running();

/// Have `action` called at the farewell, while MPI still works; the last added is the first called,
/// those that come `before_all` first.
void at_finalize(std::function<void()> action, bool before_all = false);

/// Without MPI_Init the farewell comes when nothing of ours is left on any communicator: what is counts
/// itself.
void hold() noexcept;
void let_go() noexcept;
struct Held {
    Held() noexcept { hold(); }
    Held(const Held&) noexcept { hold(); }
    Held& operator=(const Held&) noexcept = default;
    ~Held() { let_go(); }
};

namespace detail {
inline std::atomic<bool> threads{true}; // until it is known
}
/// May several threads call MPI at a time?
inline bool has_threads() noexcept { return detail::threads.load(std::memory_order_relaxed); }
/// `level`: MPI's.  Of each of our two libraries for itself.
inline void keep_thread_level(int level) noexcept { detail::threads.store(level == MPI_THREAD_MULTIPLE); }

/// Has the program called MPI_Init?  Else there is no MPI_COMM_WORLD and no MPI_COMM_SELF.
bool has_world() noexcept;
/// MPI_COMM_SELF, or what stands in for it.
MPI_Comm self() noexcept;
World world();

} // namespace ortho::mpi
