// SPDX-License-Identifier: BSD-3-Clause
// Messages of MPI's.
#pragma once

#include <mpi.h>

#include <memory>

#include "transport/transport.hpp"

namespace ortho::transport {

/// Between all processes of a communicator that nobody else uses.
std::shared_ptr<Transport> point_to_point(MPI_Comm comm);

} // namespace ortho::transport
