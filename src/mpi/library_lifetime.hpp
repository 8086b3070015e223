// SPDX-License-Identifier: BSD-3-Clause
// The lifetime of the library: from MPI_Init to MPI_Finalize, or as long as a program with sessions uses it.
#pragma once

#include <mpi.h>

#include <atomic>
#include <functional>
#include <string>

#include "mpi/session.hpp"

namespace ortho::mpi {

namespace detail {
/// leaving: MPI_Finalize has deleted our attribute of MPI_COMM_SELF, and may call the program's functions for
/// attributes that are older.
enum class Life : unsigned char { unborn, running, leaving, over };
inline std::atomic<Life> life{Life::unborn};
void look_for_mpi();
bool is_finalized() noexcept;
} // namespace detail

/// Is the library between its first call and its end?  Destructors that free MPI objects ask first.
inline bool is_running() noexcept
{
    const detail::Life life = detail::life.load(std::memory_order_acquire);
    return life == detail::Life::running || (life == detail::Life::leaving && !detail::is_finalized());
}

/// Throws base::Error (other) before MPI_Init and after MPI_Finalize.  A program that never calls MPI_Init
/// has MPI from its first public call on a session's communicator on.
inline void require_mpi()
{
    if (!is_running()) [[unlikely]]
        detail::look_for_mpi();
}

/// Throws as require_mpi().  Throws also in a public call without a communicator, if no session's
/// communicator is known.  The first call sets an attribute of MPI_COMM_SELF, which ends the library:
/// MPI_Finalize deletes such attributes first.
void require_running();

/// Lets `action` be called when the library ends, while MPI still works.  Actions `after_all` are called only
/// if nothing of ours is left on any communicator.  Among actions of one kind, the last one added is called
/// first.
enum class AtEnd : unsigned char { before_all, usual, after_all };
void at_finalize(std::function<void()> action, AtEnd when = AtEnd::usual);

/// Without MPI_Init, and in MPI_Finalize, the library ends when nothing of ours is left on any communicator.
/// Each such object counts itself.
void count_in() noexcept;
void count_out() noexcept;
struct Counted {
    Counted() noexcept { count_in(); }
    Counted(const Counted&) noexcept { count_in(); }
    Counted& operator=(const Counted&) noexcept = default;
    ~Counted() { count_out(); }
};

namespace detail {
inline std::atomic<bool> threads{true}; // until it is known
}
/// May several threads call MPI at a time?
inline bool has_threads() noexcept { return detail::threads.load(std::memory_order_relaxed); }
/// `level` is that of MPI.  Each of our two libraries has its own setting.
inline void keep_thread_level(int level) noexcept { detail::threads.store(level == MPI_THREAD_MULTIPLE); }

/// Has the program called MPI_Init?  If not, MPI_COMM_WORLD and MPI_COMM_SELF do not exist.
bool has_world() noexcept;
/// MPI_COMM_SELF, or a communicator in its place.
MPI_Comm self() noexcept;
World world();

/// Writes the text to stderr, once, on rank 0 of the program.  Call it while the library is running.
void warn(const std::string& text);

} // namespace ortho::mpi
