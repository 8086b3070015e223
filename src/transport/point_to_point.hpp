// SPDX-License-Identifier: BSD-3-Clause
// Messages of MPI's.
#pragma once

#include <mpi.h>

#include <memory>

#include "transport/shm_channels.hpp"
#include "transport/transport.hpp"

namespace ortho::transport {

/// Between all processes of a communicator that nobody else uses.  `node`: lead to those of this node; null
/// if it is not known which they are.
std::shared_ptr<Transport> point_to_point(MPI_Comm comm, std::shared_ptr<const ShmChannels> node);

} // namespace ortho::transport
