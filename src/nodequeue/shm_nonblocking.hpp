// SPDX-License-Identifier: BSD-3-Clause
// Messages of non-blocking operations through shared memory.
#pragma once

#include <mpi.h>

#include <memory>

#include "nodequeue/shm_channels.hpp"
#include "transport/transport.hpp"

namespace ortho::nodequeue {

/// Messages between processes of a node that are smaller than Limits::by_mpi.  Whoever starts an operation
/// has sent its messages then: any number of operations may be under way, and no sender waits for its
/// receiver.
std::shared_ptr<transport::Transport> shm_nonblocking(std::shared_ptr<NodeChannels> channels,
                                                      MPI_Comm private_comm);

} // namespace ortho::nodequeue
