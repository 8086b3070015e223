// SPDX-License-Identifier: BSD-3-Clause
// The price of work on a machine.  No MPI in this file.
#pragma once

#include <cstdint>

#include "schedule/machine.hpp"
#include "schedule/work.hpp"

namespace ortho::schedule {

/// The time in picoseconds that the work takes.  A core handles one message, block or byte after the other.
/// Meanwhile sent messages travel, in each phase one after the other (Culler et al., LogP, 1993, whose
/// overheads may hide latency).  The longer of the two times counts.  Where processes share cores, which are
/// never idle, the times are added.  Data that leaves a node takes the sender's time, or the time of the
/// node's way out for all its processes, whichever is longer (papers' max-rate model).  Never overflows: a
/// longer time than fits is the largest number.
std::int64_t predict(const Machine& machine, const Layout& layout, const Work& work);

} // namespace ortho::schedule
