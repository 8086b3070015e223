// SPDX-License-Identifier: BSD-3-Clause
// Reductions that a device makes where data lies in its memory.
#pragma once

#include <mpi.h>

#include <optional>
#include <vector>

#include "memory/reduction.hpp"
#include "schedule/schedule.hpp"

namespace ortho::staging {

/// How a device does it; nothing for operators and datatypes that are left to MPI.
std::optional<memory::Reduction> device_reduction(MPI_Op op, MPI_Datatype type);

/// The steps that end a schedule of one phase, each from what this process sends or has received to a part of
/// the result, without places in between; nothing if there are others.
std::optional<std::vector<schedule::Action>> last_steps(const schedule::Schedule& schedule);

} // namespace ortho::staging
