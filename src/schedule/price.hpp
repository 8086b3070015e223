// SPDX-License-Identifier: BSD-3-Clause
// What work takes on a machine.  No MPI in this file.
#pragma once

#include <cstdint>

#include "schedule/machine.hpp"
#include "schedule/work.hpp"

namespace ortho::schedule {

/// The time in picoseconds that the work takes.  A core is at one message, or block, or byte, after the
/// other; meanwhile those that have been sent are on their way, in each phase one after the other, too
/// (Culler et al., LogP, 1993, whose overheads may hide latency): the longer of the two counts; where
/// processes share cores, which are never idle, all is added.  What leaves a node takes the sender's time, or
/// that of the node's way out for all its processes, whichever is longer (papers' max-rate model).  Never
/// overflows: what is too long for the type is its largest number.
std::int64_t predict(const Machine& machine, const Layout& layout, const Work& work);

} // namespace ortho::schedule
