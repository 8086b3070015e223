// SPDX-License-Identifier: BSD-3-Clause
// Messages of non-blocking operations between processes of a node.  A queue says how each of them comes.
//
// The size of a block decides whether it goes through the queue or by MPI.  In a wrong program the ends may
// disagree about the size, and MPIs let programs receive into blocks that are larger than those sent.  So the
// queue announces a block that goes by MPI, and a receiver finds each block that was sent.  Several blocks
// for one process share a message of the queue.  It begins with their sizes, so that each gets to its place,
// whatever its receiver expects.
#pragma once

#include <mpi.h>

#include <memory>

#include "nodequeue/shm_channels.hpp"
#include "transport/transport.hpp"

namespace ortho::nodequeue {

/// `by_mpi`: what moves them.  The messages of one phase alone: they are looked for in the order of
/// operations.
std::shared_ptr<transport::Transport> announced_messages(std::shared_ptr<NodeChannels> channels,
                                                         std::shared_ptr<transport::Transport> by_mpi,
                                                         MPI_Comm private_comm);

} // namespace ortho::nodequeue
