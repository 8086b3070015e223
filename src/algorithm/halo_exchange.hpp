// SPDX-License-Identifier: BSD-3-Clause
// The schedules of a halo exchange and of its adjoint along a route.  No MPI in this file.
#pragma once

#include "algorithm/halo_route.hpp"
#include "grid/halo.hpp"
#include "schedule/builder.hpp"
#include "schedule/schedule.hpp"

namespace ortho::algorithm {

/// Declares that all send slots are parts of the owned cells of their fields.
void send_from_owned_cells(const grid::Halo& halo, schedule::Builder& out);

/// Fills the ghost regions along the route.
schedule::Schedule exchange_along(const HaloRoute& route, const grid::Halo& halo, int rank);

/// Sends the ghost regions back against the route, and reduces them into their owners' cells.  Ghost cells
/// are only read: contributions of others to a region on its way are added to a copy of it.
schedule::Schedule reduce_against(const HaloRoute& route, const grid::Halo& halo, int rank);

} // namespace ortho::algorithm
