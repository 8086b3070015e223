// SPDX-License-Identifier: BSD-3-Clause
// A cache of one entry for objects that communicators carry.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "mpi/library_lifetime.hpp"

namespace ortho::mpi {

/// Programs call on one communicator again and again, and asking MPI for an attribute takes as long as a
/// small message.  An entry holds as long as no object of that kind has ended, since then the handle still
/// has its meaning.  `by` distinguishes kinds of one type.
template <class Found, auto by = nullptr>
class LastFound {
public:
    /// Null if the entry is for another communicator, or an object has `ended` since.
    static Found* of(MPI_Comm comm, std::uint64_t ended) noexcept
    {
        const Entry& last = entry();
        return last.comm == comm && last.ended == ended ? last.found : nullptr;
    }
    /// `ended` is the number of ended objects before the search.
    static Found* keep(MPI_Comm comm, std::uint64_t ended, Found* found) noexcept
    {
        entry() = {comm, ended, found};
        return found;
    }

private:
    struct Entry {
        MPI_Comm comm{};
        std::uint64_t ended = 0;
        Found* found = nullptr;
    };
    /// Access to a thread's own entry takes a function call.
    static Entry& entry() noexcept { return has_threads() ? of_thread_ : of_all_; }

    static inline thread_local Entry of_thread_;
    static inline Entry of_all_;
};

} // namespace ortho::mpi
