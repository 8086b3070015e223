// SPDX-License-Identifier: BSD-3-Clause
// The routes to ghost regions, by phase, sender and intermediate process; schedules.  No MPI in this file.
#pragma once

#include <vector>

#include "grid/halo.hpp"
#include "schedule/builder.hpp"
#include "schedule/schedule.hpp"

namespace ortho::algorithm {

/// The ways to all slots of a halo.  A slot's region s is received in one hop, along the step of its bundle.
/// The sender owns the data, or has it in its own slot `via`, another region of the same field.
///
/// The route is the same on all processes.  The grid tells whether process r takes part in a hop: the hop of
/// region s to r is made iff r+s is on the grid.  Then the sender is on the grid, too, and so is the process
/// whose data is in its region via: that is r+s again.
struct HaloRoute {
    /// The slots that take one step in one phase, and so travel in one message.
    struct Bundle {
        int phase;
        std::vector<int> step; ///< from the sender to the receiver; one of all steps that lead there
        bool stays;            ///< the step leads from each process to itself
        std::vector<int> slots;
    };

    /// By phase, then by step.
    std::vector<Bundle> bundles;
    /// For each slot the slot where its sender has the data, or `owned`.
    std::vector<int> via;
    /// For each slot: is data of other slots sent on from it?
    std::vector<char> passes_on;
    int phases = 0;

    static constexpr int owned = -1;

    /// The number of messages that a process far from all borders sends.
    int messages() const;
};

/// Gets every region from its owner, in one phase.
HaloRoute direct_route(const grid::Halo& halo);

/// Goes dimension by dimension.  A region comes in its last dimension, from the sender's region without that
/// component; so all data across a face comes at once.  Where the sender has no such region, the owner sends
/// the data, in the first phase.  With at most five dimensions, takes the order with the fewest messages.
HaloRoute combining_route(const grid::Halo& halo);

/// Declares that all send slots are parts of the owned cells of their fields.
void send_from_owned_cells(const grid::Halo& halo, schedule::Builder& out);

/// Fills the ghost regions along the route.
schedule::Schedule exchange_along(const HaloRoute& route, const grid::Halo& halo, int rank);

/// Sends the ghost regions back against the route, and reduces them into their owners' cells.  Ghost cells
/// are only read: contributions of others to a region on its way are added to a copy of it.
schedule::Schedule reduce_against(const HaloRoute& route, const grid::Halo& halo, int rank);

} // namespace ortho::algorithm
