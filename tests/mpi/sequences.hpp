// SPDX-License-Identifier: BSD-3-Clause
// Random sequences of overlapping blocking, non-blocking and persistent calls on several communicators.
#pragma once

#include "calls.hpp"

namespace test {

/// Some communicators made from `base`, `steps` calls on them, which every process completes when and
/// how it likes, and the end of all.  Each result is held against arithmetic.
void overlap(MPI_Comm base, Dice dice, const Reductions& reductions, int steps);

} // namespace test
