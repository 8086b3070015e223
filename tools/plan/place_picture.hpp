// SPDX-License-Identifier: BSD-3-Clause
// The picture of `ortho-plan place`.
#pragma once

#include "plan/plan_place.hpp"
#include "plan/svg.hpp"

namespace plan {

/// The grid colored by node, as numbered and as chosen side by side; more than two dimensions make slices.
tools::Svg draw_places(const Places& places);

} // namespace plan
