// SPDX-License-Identifier: BSD-3-Clause
// Schedules in words.  No MPI in this file.
#pragma once

#include <string>

#include "schedule/schedule.hpp"

namespace ortho::schedule {

/// A text like "send 3", "receive 0", "temp 12".
std::string to_text(Slot slot);

/// The whole schedule, one line for each message side or local action.
std::string to_text(const Schedule& schedule);

} // namespace ortho::schedule
