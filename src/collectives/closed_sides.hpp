// SPDX-License-Identifier: BSD-3-Clause
// Values of ghosts beyond closed sides of a grid: those at its border, in dimensions that are not periodic.
#pragma once

#include "call/call.hpp"
#include "collectives/halo_arguments.hpp"
#include "grid/grid.hpp"

namespace ortho::collectives {

/// Reads what the fields say of their sides.  Throws base::Error unless it is right by itself.
void check_boundaries(CheckedFields& checked, const HaloArguments& arguments, const grid::Grid& grid);

/// The end of an exchange of all these fields.  Throws base::Error (arg) where mirrors lead to elements that
/// this process does not have.
call::AtEnd end_of(const grid::Grid& grid, int rank, const CheckedFields& checked, const FieldNames& names);

} // namespace ortho::collectives
