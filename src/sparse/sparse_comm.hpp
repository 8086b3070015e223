// SPDX-License-Identifier: BSD-3-Clause
// The communicator for sparse exchanges behind one of the user's.
#pragma once

#include <mpi.h>

#include <atomic>
#include <memory>

#include "mpi/comm.hpp"
#include "mpi/mutex.hpp"

namespace ortho::sparse {

/// The library's communicator for sparse exchanges on a communicator of the user's.  It is made with the
/// first exchange, and kept with the user's.  All processes make the calls on a communicator in the same
/// order.  MPI matches collectives by their order, too: so exchanges take turns.
class SparseComm {
public:
    /// The object of the user's intra-communicator.  Local: it makes no communicator yet.
    static std::shared_ptr<SparseComm> of(MPI_Comm user);

    /// Makes the communicator, if there is none yet.  `user`: as in of().  Collective.
    void make(MPI_Comm user);
    /// Begins to make the communicator, without waiting.  is_made() goes on, and is true once it is there.
    void begin_to_make(MPI_Comm user);
    bool is_made();

    MPI_Comm get() const { return comm_.get(); }
    /// The number of the next exchange.
    unsigned take_number() { return taken_++; }
    /// Is it the turn of the exchange with this number?
    bool has_turn(unsigned number) const { return over_.load(std::memory_order_acquire) == number; }
    /// The exchange whose turn it is is over.
    void end_turn() { over_.fetch_add(1, std::memory_order_release); }

private:
    mpi::Comm comm_;
    MPI_Comm next_ = MPI_COMM_NULL; ///< the communicator while MPI makes it
    MPI_Request request_ = MPI_REQUEST_NULL;
    mpi::Mutex mutex_; ///< protects the two members above: several threads may call is_made()
    unsigned taken_ = 0;
    std::atomic<unsigned> over_ = 0;
};

} // namespace ortho::sparse
