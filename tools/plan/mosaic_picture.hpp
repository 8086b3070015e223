// SPDX-License-Identifier: BSD-3-Clause
// A picture of a divided block-structured grid.
#pragma once

#include "plan/plan_mosaic.hpp"
#include "plan/svg.hpp"

namespace plan {

/// A picture of each zone with its patches.  Colors along the sides of a patch tell the processes that fill
/// its ghosts.  Three dimensions are cut where the third one begins.
tools::Svg draw_mosaic(const DividedGrid& divided);

} // namespace plan
