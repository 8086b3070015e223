// SPDX-License-Identifier: BSD-3-Clause
// What leaves the nodes.  No MPI in this file.
#pragma once

#include <cstdint>
#include <span>

#include "grid/grid.hpp"
#include "grid/neighborhood.hpp"
#include "grid/nodes.hpp"
#include "grid/stencil.hpp"

namespace ortho::schedule {

/// Of messages that all processes send at once, what goes to other nodes.
struct OffNode {
    std::int64_t messages = 0; ///< of the process that has most of them
    std::int64_t blocks = 0;   ///< of the process that has most of them, or their sizes
    std::int64_t node_blocks =
        0; ///< of a node: of a process on average, times the processes of the largest node

    bool operator==(const OffNode&) const = default;
};

/// As many times as this it is looked whether an edge leaves a node, where there are more of them.
inline constexpr std::int64_t most_looks = std::int64_t{1} << 18;

/// Some of the processes, or nodes, 0 .. all - 1, at least one, spread over all; the same everywhere.
class Sample {
public:
    /// `looks_each`: what it takes to look at one.
    Sample(std::int64_t all, std::int64_t looks_each, std::int64_t looks);

    std::int64_t size() const { return size_; }
    int operator[](std::int64_t i) const { return static_cast<int>(i * distance_ % all_); }

private:
    std::int64_t all_;
    std::int64_t size_;
    /// Near the golden section: an even one would meet the same place of one node after the other, where
    /// nodes are alike.
    std::int64_t distance_;
};

/// Each process sends a message along each of the steps, with so many blocks; none of the steps is zero.  Of
/// more processes than there may be looks for a sample is looked at.
OffNode off_node(const grid::Grid& grid, const grid::Nodes& nodes, const grid::Stencil& steps,
                 std::span<const std::int64_t> blocks, std::int64_t looks = most_looks);

/// Of a hundred edges, how many leave their node.
int percent_off_node(const grid::Neighborhood& neighborhood, const grid::Nodes& nodes);

} // namespace ortho::schedule
