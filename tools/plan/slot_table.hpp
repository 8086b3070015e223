// SPDX-License-Identifier: BSD-3-Clause
// What the slots of a schedule are.
#pragma once

#include <cstdint>

#include "plan/schedule_course.hpp"

namespace plan {

/// Prints the offsets, or the ghost regions, that slots belong to, and whom they lead to.
void print_slots(const Course& course);

/// Bytes of all messages that the process sends.
std::int64_t sent_bytes(const Course& course);

} // namespace plan
