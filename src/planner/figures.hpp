// SPDX-License-Identifier: BSD-3-Clause
// The numbers of a stencil that decide between schedules.  No MPI in this file.
#pragma once

#include "grid/neighborhood.hpp"

namespace ortho::planner {

/// What a process far from all borders sends; equal everywhere, since it is counted from the
/// stencil alone.  The zero offset is a local copy and counts nowhere.
struct Figures {
    int partners = 0;         ///< distinct processes: messages when sent directly
    int blocks = 0;           ///< offsets that are not zero (papers: t without the zero offset)
    int combined_messages = 0; ///< papers: C
    int alltoall_blocks = 0;  ///< papers: V of alltoall
    int allgather_blocks = 0; ///< papers: V of allgather, dimensions by distinct coordinates

    bool operator==(const Figures&) const = default;
};

/// O(t d log t).
Figures figures(const grid::Neighborhood& neighborhood);

} // namespace ortho::planner
