// SPDX-License-Identifier: BSD-3-Clause
// What travels between two nodes, in one message.  No MPI in this file.
#pragma once

#include <compare>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "grid/neighborhood.hpp"
#include "grid/nodes.hpp"
#include "schedule/builder.hpp"
#include "schedule/schedule.hpp"

namespace ortho::algorithm {

inline constexpr const char* blocks_by_nodes =
    "collects blocks on each node, and sends one message to each other node that wants some";

/// The three phases of an exchange in which all that goes from node A to node B is one message: it is
/// gathered on A by the *agent* of the pair, crosses to the pair's agent on B, and is spread there.  What
/// stays on a node goes straight to its receiver, in the first phase.
///
/// Agents take turns: the pair of a node with the i-th of its partner nodes, by number, is the business of
/// its process i modulo the size of the node.  So both ends know each other's agent from the edges of the two
/// nodes.
///
/// A message lists blocks by origin, those of one origin by index; in the third phase, where all are for one
/// receiver, by the index of the offset that leads there.  Both ends list alike.
class NodePairs {
public:
    /// A block on its way: where it began, and its canonical index; 0 where each process has one block for
    /// all.
    struct Block {
        int origin;
        int index;
        auto operator<=>(const Block&) const = default;
    };
    using Blocks = std::vector<Block>;
    /// By sender and receiver.  No message is empty.
    using Messages = std::map<std::pair<int, int>, Blocks>;

    /// `personal`: each offset has a block of its own; else one block goes to all, and to each node once.
    /// Neighborhood and nodes must live as long as this.
    NodePairs(const grid::Neighborhood& neighborhood, const grid::Nodes& nodes, bool personal);

    static constexpr int everybody = -1;
    /// The messages on a node in the first phase, or those that process `only` sends or receives.
    Messages gathering(int node, int only = everybody) const;
    /// Likewise in the third.
    Messages spreading(int node, int only = everybody) const;
    /// What a node sends to others, by its agent and the other node; or the messages of agent `only`.
    Messages crossing(int node, int only = everybody) const;

    /// What process `rank` does.  O(edges of its node, and of the nodes whose agent it is).
    schedule::Schedule schedule_of(int rank) const;
    /// The same behind what has been written down already.
    schedule::Schedule schedule_of(int rank, schedule::Builder out) const;

    /// The most edges that a process may have to look at, going by the sizes of nodes alone; the same on all
    /// processes.
    static double most_edges(const grid::Neighborhood& neighborhood, const grid::Nodes& nodes);

private:
    /// Who is the agent of a node for its pairs with others.
    struct Agents {
        std::span<const int> members;
        std::vector<int> partners; ///< nodes that it sends to or receives from, by number
        int with(int other) const;
    };

    Agents agents_of(int node) const;
    Block block(int origin, int index) const { return {origin, personal_ ? index : 0}; }
    /// At the end of a message that has not just been given it: one block for all goes once.
    static void add(Blocks& message, Block block);
    Messages gathering(int node, const Agents& agents, int only) const;
    Messages spreading(int node, const Agents& agents, int only) const;
    Messages crossing(int node, const Agents& agents, int only) const;
    /// What process `agent` receives from other nodes, by their agents and itself.
    Messages arriving(int node, const Agents& agents, int agent) const;

    const grid::Neighborhood& neighborhood_;
    const grid::Nodes& nodes_;
    bool personal_;
};

} // namespace ortho::algorithm
