// SPDX-License-Identifier: BSD-3-Clause
// The communicator for sparse exchanges behind one of the user's.
#pragma once

#include <mpi.h>

#include <memory>

#include "mpi/comm.hpp"

namespace ortho::sparse {

/// Made with the first exchange, and kept with the user's communicator.  All processes make the calls on a
/// communicator in the same order, so that they have the same tags.
class SparseComm {
public:
    /// Of the user's intra-communicator.  Local: nothing is made yet.
    static std::shared_ptr<SparseComm> of(MPI_Comm user);

    /// It is made now, if it is not there.  `user`: the communicator that it is of.  Collective.
    void make(MPI_Comm user);
    /// The same without waiting: is_made() goes on with it.
    void begin_to_make(MPI_Comm user);
    bool is_made();

    MPI_Comm get() const { return comm_.get(); }
    /// For the messages of the next exchange.
    int take_tag();

private:
    mpi::Comm comm_;
    MPI_Comm next_ = MPI_COMM_NULL; ///< on its way
    MPI_Request request_ = MPI_REQUEST_NULL;
    int tag_ = 0;
};

} // namespace ortho::sparse
