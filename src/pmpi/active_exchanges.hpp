// SPDX-License-Identifier: BSD-3-Clause
// What must be there until an operation of MPI's is over.
#pragma once

#include <mpi.h>

#include <memory>

#include "pmpi/exchange_by_mpi.hpp"

namespace ortho::pmpi {

/// Keep an exchange that has the request `request` now.
///
/// It goes when MPI gives that request to another exchange, or MPI ends.  So nobody need look at the calls
/// that complete requests, and there are never more than there were requests at a time.  (MPI_Request_free is
/// for no request of a non-blocking collective, MPI-4.1 §6.12, and for no persistent one that is active.)
void keep_under_way(MPI_Request request, std::shared_ptr<const Exchange> exchange);

} // namespace ortho::pmpi
