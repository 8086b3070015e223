// SPDX-License-Identifier: BSD-3-Clause
// The picture of `ortho-plan predict`.
#pragma once

#include <vector>

#include "plan/planned_call.hpp"
#include "plan/predicted_times.hpp"
#include "plan/svg.hpp"

namespace plan {

/// Over block sizes: the chosen algorithm, the time of each algorithm relative to the fastest, and the time
/// of the fastest.  The wanted size is marked.
tools::Svg draw_costs(const Setting& setting, const std::vector<planner::Candidate>& candidates,
                      const Curves& curves);

} // namespace plan
