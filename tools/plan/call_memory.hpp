// SPDX-License-Identifier: BSD-3-Clause
// The memory that a process shares with its node for a call.
#pragma once

#include "plan/schedule_course.hpp"

namespace plan {

/// Prints what blocking calls of the course's process take of memory that the processes of its node share.
void print_memory(const Course& course);

} // namespace plan
