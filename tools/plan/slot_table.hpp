// SPDX-License-Identifier: BSD-3-Clause
// The meaning of a schedule's slots.
#pragma once

#include <cstdint>

#include "plan/schedule_course.hpp"

namespace plan {

/// Prints the offsets, or the ghost regions, of the slots, and the processes that they lead to.
void print_slots(const Course& course);

/// The bytes of all messages that the process sends, or of one.
std::int64_t sent_bytes(const Course& course);
std::int64_t sent_bytes(const Course& course, const ortho::schedule::Round& round);

} // namespace plan
