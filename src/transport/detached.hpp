// SPDX-License-Identifier: BSD-3-Clause
// The messages of a phase as one collective of MPI's.
#pragma once

#include <mpi.h>

#include <memory>

#include "transport/transport.hpp"

namespace ortho::transport {

/// On the user's communicator, before there is a private one.  All its processes take part in each phase, in
/// their turn; operations have one phase at most, in which no partner has two messages the same way.
std::shared_ptr<Transport> detached(MPI_Comm user_comm);

} // namespace ortho::transport
