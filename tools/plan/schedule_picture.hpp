// SPDX-License-Identifier: BSD-3-Clause
// The pictures of `ortho-plan schedule`.
#pragma once

#include "plan/schedule_course.hpp"
#include "plan/svg.hpp"

namespace plan {

/// The processes around this one, a panel a phase, where they fit on a page; else its messages over time.
tools::Svg draw_schedule(const Course& course);

/// A panel a phase, of a grid of one or two dimensions: the messages of this process, and where its blocks
/// are.  `fits_panels`: there is room for it.
bool fits_panels(const Course& course);
tools::Svg draw_panels(const Course& course);

/// The messages of this process one after the other, as long as they are predicted to take.
tools::Svg draw_timeline(const Course& course);

} // namespace plan
