// SPDX-License-Identifier: BSD-3-Clause
// The panels of the picture of `ortho-plan predict`, over the sizes of blocks.
#pragma once

#include <string_view>

#include "plan/log_scale.hpp"
#include "plan/predicted_times.hpp"
#include "plan/svg.hpp"

namespace plan {

/// The style of an algorithm in all panels and in the legend.
tools::LineStyle line_of(std::string_view algorithm);

/// A bar with the chosen algorithm for each size, and the sizes at which it changes.
void draw_choices(tools::Svg& svg, const Curves& curves, const LogScale& x, double top, double height);

/// The scale of ratios: it begins at 1, and larger ratios than its end are not drawn.
LogScale scale_of_ratios(const Curves& curves, double top, double bottom);
bool goes_beyond(const LogScale& ratios, const Curves& curves);
/// Every algorithm's time divided by the fastest one's.
void draw_ratios(tools::Svg& svg, const Curves& curves, const LogScale& x, const LogScale& y);

/// The time of the fastest algorithm.  Returns the scale of times in picoseconds.
LogScale draw_least_times(tools::Svg& svg, const Curves& curves, const LogScale& x, double top,
                          double bottom);

/// The sizes, below a panel.
void draw_sizes(tools::Svg& svg, const LogScale& x, double bottom, std::string_view words);

} // namespace plan
