// SPDX-License-Identifier: BSD-3-Clause
// Local copies between places of different datatypes.
#pragma once

#include <mpi.h>

#include "engine/blocks.hpp"

namespace ortho::engine {

/// Copy the data of one place to another, as a message to oneself would.  The places do not
/// overlap.  Throws base::Error (truncate) if there is not room enough; writes nothing then.
void copy(const Place& from, const Place& to);

} // namespace ortho::engine
