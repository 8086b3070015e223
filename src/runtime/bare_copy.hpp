// SPDX-License-Identifier: BSD-3-Clause
// The library's own communicators.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "mpi/comm.hpp"

namespace ortho::runtime {

/// Have all processes entered the current public call?  If so, none waits elsewhere for another one.
enum class HaveMet : std::uint8_t { no, yes };
/// A communicator of the same processes without topology, attributes or info.  Collective.
mpi::Comm bare_copy(MPI_Comm comm, HaveMet have_met = HaveMet::no);

} // namespace ortho::runtime
