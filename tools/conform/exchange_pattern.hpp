// SPDX-License-Identifier: BSD-3-Clause
// Who sends which block to whom, and where it must land, as the MPI standard says.  No MPI in this file.
#pragma once

#include <string>
#include <vector>

#include "grid/local_graph.hpp"

namespace conform {

/// What is to come into a receive slot: out-slot `slot` of process `process`; grid::gap: nothing.
struct Origin {
    int process;
    int slot;

    bool operator==(const Origin&) const = default;
};

/// The part of one process.
struct Part {
    ortho::grid::LocalGraph lists;     ///< a slot for each neighbor, gaps included
    std::vector<Origin> origins;       ///< of each slot of lists.sources
    std::vector<std::string> to;       ///< where each out-slot leads, in words: "to -1"
    std::vector<std::string> in_slots; ///< what each in-slot is called: "the +1 slot"
};

/// An exchange: a part for each process.
using Pattern = std::vector<Part>;

/// A graph, given by its lists: the k-th edge from u to v in the list of u is the k-th u in that of v
/// (MPI-4.1, 8.6).
Pattern graph_pattern(std::vector<ortho::grid::LocalGraph> lists);

/// The neighbors on a grid, row-major, -1 and +1 in each dimension in turn.
struct CartesianGrid {
    std::vector<int> sizes;
    std::vector<char> periodic;
};

/// As on MPI's Cartesian communicators: in-slots have the order of out-slots, and what is sent to -1 comes
/// into the +1 slot (MPI-4.1, 8.6).
Pattern cartesian_pattern(const CartesianGrid& grid);

/// The same exchange as ORTHO_Cart_neighborhood_create numbers it: what leaves by slot i comes into slot i.
Pattern neighborhood_pattern(const CartesianGrid& grid);

} // namespace conform
