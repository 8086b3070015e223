// SPDX-License-Identifier: BSD-3-Clause
// The communicator for sparse exchanges behind one of the user's.
#pragma once

#include <mpi.h>

#include <atomic>
#include <memory>

#include "mpi/comm.hpp"
#include "mpi/mutex.hpp"

namespace ortho::sparse {

/// Made with the first exchange, and kept with the user's communicator.  All processes make the calls on a
/// communicator in the same order.  MPI matches collectives by their order, too: so exchanges take turns.
class SparseComm {
public:
    /// That behind the user's intra-communicator.  Local: nothing is made yet.
    static std::shared_ptr<SparseComm> of(MPI_Comm user);

    /// It is made now, if it is not there.  `user`: the communicator that it is of.  Collective.
    void make(MPI_Comm user);
    /// Begins to make it, without waiting: is_made() goes on with it.
    void begin_to_make(MPI_Comm user);
    bool is_made();

    MPI_Comm get() const { return comm_.get(); }
    /// The number of the next exchange.
    unsigned take_number() { return taken_++; }
    /// Is it the turn of the exchange with this number?
    bool has_turn(unsigned number) const { return over_.load(std::memory_order_acquire) == number; }
    /// That one is over.
    void end_turn() { over_.fetch_add(1, std::memory_order_release); }

private:
    mpi::Comm comm_;
    MPI_Comm next_ = MPI_COMM_NULL; ///< on its way
    MPI_Request request_ = MPI_REQUEST_NULL;
    mpi::Mutex mutex_; ///< of what is on its way: several threads may drive it
    unsigned taken_ = 0;
    std::atomic<unsigned> over_ = 0;
};

} // namespace ortho::sparse
