// SPDX-License-Identifier: BSD-3-Clause
// Agreeing on what environment and info say.
#pragma once

#include <mpi.h>

#include "topology/graph.hpp"

namespace ortho::topology {

/// The settings of a new communicator: rank 0's environment and info, since mpiexec often does
/// not pass the environment on.  Info goes before environment.  Collective, in any communicator of
/// the processes concerned; `assert_uniform` must be agreed already.
///
/// Throws base::Error (algorithm), on all processes alike, for an unknown algorithm.
Settings agree_on_settings(MPI_Comm comm, MPI_Info info, bool assert_uniform);

/// The truth value of an info key: "true" or "false", in any case; false if it is not there.
/// Throws base::Error (info) for anything else.
bool info_flag(MPI_Info info, const char* key);

} // namespace ortho::topology
