// SPDX-License-Identifier: BSD-3-Clause
// Messages between nodes.  No MPI in this file.
#pragma once

#include <cstdint>
#include <span>

#include "grid/grid.hpp"
#include "grid/neighborhood.hpp"
#include "grid/nodes.hpp"
#include "grid/stencil.hpp"

namespace ortho::schedule {

/// The messages to other nodes, if all processes send at once.
struct OffNode {
    std::int64_t messages = 0; ///< of the process that sends most of them
    std::int64_t blocks = 0;   ///< of the process that sends most of them, or the sum of their sizes
    std::int64_t node_blocks =
        0; ///< of a node: the average of a process, times the processes of the largest node

    bool operator==(const OffNode&) const = default;
};

/// The largest number of edges to look at; with more edges a sample is taken.
inline constexpr std::int64_t most_looks = std::int64_t{1} << 18;

/// A sample of the processes, or nodes, 0 .. all - 1: at least one, spread over all; the same everywhere.
class Sample {
public:
    /// The sample takes about `looks` looks in all, and `looks_each` for each element.
    Sample(std::int64_t all, std::int64_t looks_each, std::int64_t looks);

    std::int64_t size() const { return size_; }
    int operator[](std::int64_t i) const { return static_cast<int>(i * distance_ % all_); }

private:
    std::int64_t all_;
    std::int64_t size_;
    /// Near the golden section.  An even distance would meet the same place in each of several equal nodes.
    std::int64_t distance_;
};

/// The result if each process sends a message with blocks[i] blocks along step i, which is not zero.  Looks
/// at a sample of the processes if all of them need more than `looks`.
OffNode off_node(const grid::Grid& grid, const grid::Nodes& nodes, const grid::Stencil& steps,
                 std::span<const std::int64_t> blocks, std::int64_t looks = most_looks);

/// The percentage of edges that leave their node.
int percent_off_node(const grid::Neighborhood& neighborhood, const grid::Nodes& nodes);

} // namespace ortho::schedule
