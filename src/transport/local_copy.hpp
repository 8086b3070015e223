// SPDX-License-Identifier: BSD-3-Clause
// Local copies between places of different datatypes.
#pragma once

#include <mpi.h>

#include "mpi/datatype.hpp"
#include "transport/data_location.hpp"

namespace ortho::transport {

/// Is its data what lies in a row at its address, in the order of its signature?  So much is sure of
/// predefined types alone, since derived ones may permute.
bool is_plain(MPI_Datatype type, const mpi::Measures& measures);

/// Copy the data of one place to another, as a message to oneself would.  The places do not
/// overlap.  Throws base::Error (truncate) if there is not room enough; writes nothing then.
void copy(const DataLocation& from, const DataLocation& to);

} // namespace ortho::transport
