// SPDX-License-Identifier: BSD-3-Clause
// The processes of each node.  No MPI in this file.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace ortho::grid {

/// The processes 0 .. processes() - 1, each on one of the nodes 0 .. count() - 1.  Nodes are numbered in the
/// order of their first processes.  A node has any number of processes, consecutive or not.
class Nodes {
public:
    Nodes() = default;

    /// Processes with the same number in `labels` share a node.
    explicit Nodes(std::span<const int> labels);

    /// Consecutive processes on each node: sizes[0] on the first node, and so on.  All further nodes have the
    /// last size, until all processes have a place.  Sizes are positive, and there is at least one.
    static Nodes consecutive(int processes, std::span<const int> sizes);

    int processes() const { return static_cast<int>(node_.size()); }
    int count() const { return static_cast<int>(sizes_.size()); }
    /// The node of a process.
    int of(int process) const { return node_[static_cast<std::size_t>(process)]; }
    /// The number of processes of a node.
    int size(int node) const { return sizes_[static_cast<std::size_t>(node)]; }
    /// The processes of a node, in increasing order.
    std::span<const int> members(int node) const
    {
        return std::span(members_).subspan(static_cast<std::size_t>(first_[static_cast<std::size_t>(node)]),
                                           static_cast<std::size_t>(size(node)));
    }

    /// The nodes of all processes, and the sizes of all nodes.
    std::span<const int> of_all() const { return node_; }
    std::span<const int> sizes() const { return sizes_; }

    /// The nodes of renumbered processes: new process i is old process old_of[i].  Others are left out.
    Nodes renumbered(std::span<const int> old_of) const;

    bool operator==(const Nodes&) const = default;

private:
    /// Lists the processes of each node.
    void list_members();

    std::vector<int> node_;
    std::vector<int> sizes_;
    std::vector<int> members_; // the processes of all nodes, node by node
    std::vector<int> first_;   // the index in members_ at which each node begins
};

/// The sizes in a text like "16" or "4,4,3", blanks allowed; nothing if it is not a list of positive numbers.
std::optional<std::vector<int>> parse_node_sizes(std::string_view text);

} // namespace ortho::grid
