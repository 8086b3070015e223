// SPDX-License-Identifier: BSD-3-Clause
// Edges by partner, and functions that the direct algorithms share.  No MPI in this file.
#pragma once

#include <span>
#include <vector>

#include "grid/local_graph.hpp"
#include "schedule/builder.hpp"

namespace ortho::algorithm {

/// The edges of a list that lead to, or come from, one process, in list order.
struct Bundle {
    int partner;
    std::span<const int> edges;
};

/// The edges of a list by partner, without gaps.  Partners come in the order of their first edges.
class EdgeBundles {
public:
    /// O(t log t).
    explicit EdgeBundles(const std::vector<int>& partners);
    EdgeBundles(const EdgeBundles&) = delete; // a copy would refer to this one's edges
    EdgeBundles& operator=(const EdgeBundles&) = delete;

    auto begin() const { return bundles_.begin(); }
    auto end() const { return bundles_.end(); }

private:
    std::vector<int> edges_; // by bundle
    std::vector<Bundle> bundles_;
};

/// The edges of one partner, in list order.  O(t).
std::vector<int> edges_of(const std::vector<int>& partners, int partner);

/// Sends block 0 to a partner, once, if an edge leads there.
void send_to(schedule::Builder& out, const grid::LocalGraph& graph, int partner);
/// Receives it from a partner, if an edge comes from there.
void receive_from(schedule::Builder& out, const grid::LocalGraph& graph, int partner);

/// Sends block 0 to every partner but oneself.
void send_to_all(schedule::Builder& out, const grid::LocalGraph& graph);

/// Sends one message to every partner but oneself, with the blocks of the edges to it, in list order.
void send_to_each(schedule::Builder& out, const grid::LocalGraph& graph);

/// Copies the blocks of an alltoall that a process sends to itself, during the phase's messages.
void copy_to_oneself(schedule::Builder& out, const grid::LocalGraph& graph);

/// Receives one block from each in-neighbor and reduces them into receive slot 0 in the order of the
/// in-edges.  A block counts once for each in-edge from its sender.  Send slot 0 is the process's own
/// contribution, if the process is its own in-neighbor.  If `in_place`, it is receive slot 0, and stays until
/// all messages have left.
void receive_and_reduce(schedule::Builder& out, const grid::LocalGraph& graph, bool in_place);

/// The last edge of a list that is no gap, or -1.
int last_edge(const std::vector<int>& partners);

/// Reduces the values into receive slot 0 at the end of the phase: v0 op (v1 op (... op vn)).  This is the
/// order of the in-edges, also for operators that do not commute.  values[i] belongs to in-edge i; gaps have
/// none.  Only the last value may lie in receive slot 0.
void reduce_in_order(schedule::Builder& out, const std::vector<int>& sources,
                     const std::vector<schedule::Slot>& values);

} // namespace ortho::algorithm
