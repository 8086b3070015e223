// SPDX-License-Identifier: BSD-3-Clause
// The senders, receivers and places of blocks, as in the MPI standard.  No MPI in this file.
#pragma once

#include <string>
#include <vector>

#include "grid/local_graph.hpp"

namespace conform {

/// The source of a receive slot: out-slot `slot` of process `process`; grid::gap: none.
struct Origin {
    int process;
    int slot;

    bool operator==(const Origin&) const = default;
};

/// The part of one process.
struct Part {
    ortho::grid::LocalGraph lists;     ///< a slot for each neighbor, with gaps
    std::vector<Origin> origins;       ///< of each slot of lists.sources
    std::vector<std::string> to;       ///< words for the target of each out-slot: "to -1"
    std::vector<std::string> in_slots; ///< words for each in-slot: "the +1 slot"
};

/// An exchange: a part for each process.
using Pattern = std::vector<Part>;

/// A graph with these lists: the k-th edge from u to v in the list of u is the k-th u in the list of v
/// (MPI-4.1, 8.6).
Pattern graph_pattern(std::vector<ortho::grid::LocalGraph> lists);

/// The neighbors on a grid, row-major, -1 and +1 in each dimension in turn.
struct CartesianGrid {
    std::vector<int> sizes;
    std::vector<char> periodic;
};

/// The pattern of MPI's Cartesian communicators: in-slots have the order of out-slots, and a block sent to -1
/// arrives in the +1 slot (MPI-4.1, 8.6).
Pattern cartesian_pattern(const CartesianGrid& grid);

/// This exchange with the numbers of ORTHO_Cart_neighborhood_create: blocks of slot i arrive in slot i.
Pattern neighborhood_pattern(const CartesianGrid& grid);

} // namespace conform
