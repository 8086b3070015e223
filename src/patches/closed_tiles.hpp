// SPDX-License-Identifier: BSD-3-Clause
// Values of ghosts beyond sides of tiles that no contact leads across.
#pragma once

#include "collectives/shown_ghosts.hpp"
#include "patches/checked_fields.hpp"
#include "patches/mosaic_handles.hpp"

namespace ortho::patches {

/// The ghosts of all arrays of this process that get values of their field's boundary.  `unfilled`: by array,
/// those that no element fills.  Throws base::Error (arg) where mirrors lead to elements that an array does
/// not have.
collectives::AllShownGhosts closed_tiles(const Mosaic& mosaic, const CheckedFields& checked,
                                         const std::vector<std::vector<ORTHO_Patch>>& unfilled);

} // namespace ortho::patches
