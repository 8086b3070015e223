// SPDX-License-Identifier: BSD-3-Clause
// What has been found last of a communicator.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "mpi/library_lifetime.hpp"

namespace ortho::mpi {

/// Programs call on one communicator again and again, and to ask MPI for an attribute takes as long as a
/// small message.  The handle of a communicator that carried something stays what it is as long as nothing of
/// that kind has ended.  `by`: what tells kinds of one type apart.
template <class Found, auto by = nullptr>
class LastFound {
public:
    /// Null if it is not this communicator's, or something has `ended` since.
    static Found* of(MPI_Comm comm, std::uint64_t ended) noexcept
    {
        const Entry& last = entry();
        return last.comm == comm && last.ended == ended ? last.found : nullptr;
    }
    /// `ended`: how many had, before it was looked for.
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
    /// To find a thread's own takes a function call.
    static Entry& entry() noexcept { return has_threads() ? of_thread_ : of_all_; }

    static inline thread_local Entry of_thread_;
    static inline Entry of_all_;
};

} // namespace ortho::mpi
