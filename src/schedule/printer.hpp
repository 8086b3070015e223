// SPDX-License-Identifier: BSD-3-Clause
// Schedules in words.  No MPI in this file.
#pragma once

#include <string>

#include "schedule/schedule.hpp"

namespace ortho::schedule {

/// "send 3", "receive 0", "temp 12".
std::string to_text(Slot slot);

/// The whole schedule, a line a message side or local action.
std::string to_text(const Schedule& schedule);

} // namespace ortho::schedule
