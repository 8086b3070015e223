// SPDX-License-Identifier: BSD-3-Clause
// The counts of a schedule.  No MPI in this file.
#pragma once

#include "schedule/schedule.hpp"

namespace ortho::schedule {

/// The counts of one process in a schedule.
struct Cost {
    int phases = 0;   ///< phases that have messages
    int messages = 0; ///< sent (papers: C)
    int blocks = 0;   ///< sent; a block counts as often as it is sent (papers: V)
    int messages_in = 0;
    int blocks_in = 0;
    int copies = 0;
    int reductions = 0;

    bool operator==(const Cost&) const = default;
};

Cost cost(const Schedule& schedule);

} // namespace ortho::schedule
