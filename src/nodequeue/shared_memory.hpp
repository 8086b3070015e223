// SPDX-License-Identifier: BSD-3-Clause
// Messages through the shared memory of a node.
#pragma once

#include <mpi.h>

#include <memory>

#include "nodequeue/shm_channels.hpp"
#include "transport/transport.hpp"

namespace ortho::nodequeue {

/// By these channels.  `private_comm`: the communicator's private one, for messages that there is no memory
/// for.
std::shared_ptr<transport::Transport> shared_memory(std::shared_ptr<ShmChannels> channels,
                                                    MPI_Comm private_comm);

} // namespace ortho::nodequeue
