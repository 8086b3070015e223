// SPDX-License-Identifier: BSD-3-Clause
// Communicators of the library's own.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "mpi/comm.hpp"

namespace ortho::runtime {

/// Have all processes met in the public call that they are in?  Then none waits elsewhere for what another
/// one is to do first.
enum class HaveMet : std::uint8_t { no, yes };
/// A communicator of the same processes without topology, attributes or info.  Collective.
mpi::Comm bare_copy(MPI_Comm comm, HaveMet have_met = HaveMet::no);

} // namespace ortho::runtime
