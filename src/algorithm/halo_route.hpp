// SPDX-License-Identifier: BSD-3-Clause
// How ghost regions are filled: in which phase, from where, through whom.  No MPI in this file.
#pragma once

#include <vector>

#include "grid/halo.hpp"

namespace ortho::algorithm {

/// The way of all slots of a halo.  A slot's region s is received in one hop, along the step of its bundle,
/// from a process that has its data in its own slot `via`, another region of the same field, or owns it.
///
/// The same on all processes.  Whether process r takes part in a hop follows from the grid: the
/// hop of region s to r is made iff r+s is on the grid.  Then the sender is on the grid, too,
/// and so is the process whose data is in its region via, which is r+s again.
struct HaloRoute {
    /// The slots that take one step in one phase, and so travel in one message.
    struct Bundle {
        int phase;
        std::vector<int> step; ///< from the sender to the receiver, one of all that lead there
        bool stays;            ///< the step leads to oneself, whoever one is
        std::vector<int> slots;
    };

    /// By phase, then by step.
    std::vector<Bundle> bundles;
    /// For each slot the one that its sender has it in, or `owned`.
    std::vector<int> via;
    /// For each slot whether others are passed on from it.
    std::vector<char> passes_on;
    int phases = 0;

    static constexpr int owned = -1;

    /// Messages that a process far from all borders sends.
    int messages() const;
};

/// Every region from its owner, in one phase.
HaloRoute direct_route(const grid::Halo& halo);

/// Dimension by dimension: a region comes in its last dimension, out of its sender's region
/// without that component, so that all that comes across a face comes at once.  Where
/// the sender has no such region the owner sends it, in the first phase.  The dimensions are
/// taken in the order that makes the fewest messages, if there are at most five.
HaloRoute combining_route(const grid::Halo& halo);

} // namespace ortho::algorithm
