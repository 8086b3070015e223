// SPDX-License-Identifier: BSD-3-Clause
// One message for all data between two nodes.  No MPI in this file.
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

/// The three phases of an exchange with one message for all data from node A to node B.  The *agent* of the
/// pair gathers the data on A; the message goes to the pair's agent on B; that agent spreads the data there.
/// Data that stays on a node goes straight to its receiver, in the first phase.
///
/// Agents take turns: the agent of a node for its i-th partner node, by number, is its process i modulo the
/// size of the node.  So both ends know each other's agent from the edges of the two nodes.
///
/// A message lists blocks by origin, and blocks of one origin by index.  In the third phase, where all blocks
/// of a message have one receiver, it lists them by the index of the offset that leads there.  Both ends list
/// alike.
class NodePairs {
public:
    /// A block on its way: its origin and its canonical index; index 0 if each process has one block for all.
    struct Block {
        int origin;
        int index;
        auto operator<=>(const Block&) const = default;
    };
    using Blocks = std::vector<Block>;
    /// By sender and receiver.  No message is empty.
    using Messages = std::map<std::pair<int, int>, Blocks>;

    /// `personal`: each offset has a block of its own; else one block goes to all, and once to each node.
    /// Neighborhood and nodes must live as long as this object.
    NodePairs(const grid::Neighborhood& neighborhood, const grid::Nodes& nodes, bool personal);

    /// The schedule of process `rank`.  O(edges of its node, and of the nodes whose agent it is).
    schedule::Schedule schedule_of(int rank) const;
    /// That schedule, written behind the content of `out`.
    schedule::Schedule schedule_of(int rank, schedule::Builder out) const;

    /// A bound of the edges that a process looks at, from the sizes of nodes alone; the same everywhere.
    static double most_edges(const grid::Neighborhood& neighborhood, const grid::Nodes& nodes);

private:
    /// The agents of a node for its pairs with other nodes.
    struct Agents {
        std::span<const int> members;
        std::vector<int> partners; ///< nodes that it exchanges messages with, by number
        int with(int other) const;
    };

    Agents agents_of(int node) const;
    Block block(int origin, int index) const { return {origin, personal_ ? index : 0}; }
    /// Appends a block, unless it is the one block for all and the last one of the message.
    static void add(Blocks& message, Block block);
    /// The messages on a node in the first phase that process `only` sends or receives.
    Messages gathering(int node, const Agents& agents, int only) const;
    /// The messages on a node in the third phase that process `only` sends or receives.
    Messages spreading(int node, const Agents& agents, int only) const;
    /// The messages of a node to others that agent `only` sends, by that and the other node.
    Messages crossing(int node, const Agents& agents, int only) const;
    /// The messages that process `agent` receives from other nodes, by their agents and itself.
    Messages arriving(int node, const Agents& agents, int agent) const;

    const grid::Neighborhood& neighborhood_;
    const grid::Nodes& nodes_;
    bool personal_;
};

} // namespace ortho::algorithm
