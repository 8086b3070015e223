// SPDX-License-Identifier: BSD-3-Clause
// What a thread has found last of a communicator.
#pragma once

#include <mpi.h>

#include <cstdint>

namespace ortho::mpi {

/// Programs call on one communicator again and again, and to ask MPI for an attribute takes as long as a small
/// message.  The handle of a communicator that carried something stays what it is as long as nothing of that
/// kind has ended.  To be thread_local.
template <class Found>
class LastFound {
public:
    /// Null if it is not this communicator's, or something has `ended` since.
    Found* of(MPI_Comm comm, std::uint64_t ended) const noexcept
    {
        return comm_ == comm && ended_ == ended ? found_ : nullptr;
    }
    /// `ended`: how many had, before it was looked for.
    Found* keep(MPI_Comm comm, std::uint64_t ended, Found* found) noexcept
    {
        comm_ = comm;
        ended_ = ended;
        return found_ = found;
    }

private:
    MPI_Comm comm_{};
    Found* found_ = nullptr;
    std::uint64_t ended_ = 0;
};

} // namespace ortho::mpi
