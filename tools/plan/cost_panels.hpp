// SPDX-License-Identifier: BSD-3-Clause
// The panels of the picture of `ortho-plan predict`, over the sizes of blocks.
#pragma once

#include <string_view>

#include "plan/log_scale.hpp"
#include "plan/predicted_times.hpp"
#include "plan/svg.hpp"

namespace plan {

/// How an algorithm is drawn in all panels and in the legend.
tools::LineStyle line_of(std::string_view algorithm);

/// A bar with the algorithm that is chosen for each size, and at which sizes that changes.
void draw_choices(tools::Svg& svg, const Curves& curves, const LogScale& x, double top, double height);

/// The scale of ratios: it begins at 1, and what is beyond its end is not drawn.
LogScale scale_of_ratios(const Curves& curves, double top, double bottom);
bool goes_beyond(const LogScale& ratios, const Curves& curves);
/// Every algorithm's time by that of the fastest.
void draw_ratios(tools::Svg& svg, const Curves& curves, const LogScale& x, const LogScale& y);

/// The time of the fastest.  Returns the scale of times in picoseconds.
LogScale draw_least_times(tools::Svg& svg, const Curves& curves, const LogScale& x, double top,
                          double bottom);

/// The sizes, under a panel that ends there.
void draw_sizes(tools::Svg& svg, const LogScale& x, double bottom, std::string_view words);

} // namespace plan
