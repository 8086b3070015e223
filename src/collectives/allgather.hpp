// SPDX-License-Identifier: BSD-3-Clause
// What the three allgathers have in common on a graph.
#pragma once

#include <mpi.h>

#include "collectives/arguments.hpp"
#include "engine/context.hpp"

namespace ortho::collectives {

/// One block for all out-neighbors; the receive side is still to be described.
engine::Call describe_allgather(const Arguments& arguments, const void* sendbuf, int sendcount,
                                MPI_Datatype sendtype, bool irregular);

} // namespace ortho::collectives
