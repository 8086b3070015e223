// SPDX-License-Identifier: BSD-3-Clause
// The pictures of `ortho-plan schedule`.
#pragma once

#include "plan/schedule_course.hpp"
#include "plan/svg.hpp"

namespace plan {

/// The processes around this one, one panel for each phase, if they fit on a page; else draw_timeline().
tools::Svg draw_schedule(const Course& course);

/// One panel for each phase, for a grid of one or two dimensions: the messages of this process, and the
/// places of its blocks.  `fits_panels`: is there room?
bool fits_panels(const Course& course);
tools::Svg draw_panels(const Course& course);

/// The messages of this process one after the other, with their predicted times as lengths.
tools::Svg draw_timeline(const Course& course);

} // namespace plan
