// SPDX-License-Identifier: BSD-3-Clause
// The picture of `ortho-plan predict`.
#pragma once

#include <vector>

#include "plan/curves.hpp"
#include "plan/setting.hpp"
#include "svg.hpp"

namespace plan {

/// Predicted times over block sizes: a curve an algorithm, the sizes at which it is chosen in its color, the
/// size that was asked for marked.
tools::Svg draw_costs(const Setting& setting, const std::vector<planner::Candidate>& candidates,
                      const Curves& curves);

} // namespace plan
