// SPDX-License-Identifier: BSD-3-Clause
// Messages of MPI's.
#pragma once

#include <mpi.h>

#include <functional>
#include <memory>

#include "transport/transport.hpp"

namespace ortho::transport {

/// Between all processes of a communicator that nobody else uses.  `is_on_node`: true for those of this node;
/// null if it is not known which they are.
std::shared_ptr<Transport> point_to_point(MPI_Comm comm, std::function<bool(int)> is_on_node);

} // namespace ortho::transport
