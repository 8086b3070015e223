// SPDX-License-Identifier: BSD-3-Clause
// The picture of `ortho-plan predict`.
#pragma once

#include <vector>

#include "plan/planned_call.hpp"
#include "plan/predicted_times.hpp"
#include "plan/svg.hpp"

namespace plan {

/// Over block sizes: which algorithm is chosen, how much longer each of them takes than the fastest, and how
/// long that takes.  The size that was asked for is marked.
tools::Svg draw_costs(const Setting& setting, const std::vector<planner::Candidate>& candidates,
                      const Curves& curves);

} // namespace plan
