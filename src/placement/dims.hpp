// SPDX-License-Identifier: BSD-3-Clause
// Sizes of a grid for a number of processes.  No MPI in this file.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "grid/nodes.hpp"

namespace ortho::placement {

/// `given`, with each 0 replaced such that the product is `processes`; new sizes are in non-increasing order.
/// The best such list is taken:
///
/// - Without nodes, or on one: the list with the least sum, then with the least greatest size, then the least
///   second one, and so on.  (If a cube is cut into n_k slices in each dimension k, the surface between
///   processes grows with the sum of n_k.)
/// - With several nodes: the list where processes exchange least.  A cube is cut into these slices, nodes are
///   placed well, and each process exchanges the faces with its neighbors, not around borders.  An exchange
///   within a node counts `1 / on_node_share`.  The first of equal lists in the order above is taken.
///
/// Throws base::Error (dims, "dims") for negative sizes, and if there is no such list.
std::vector<int> choose_dims(std::int64_t processes, std::span<const int> given, const grid::Nodes* nodes);

/// Data within a node goes through memory.  Memory is several times as fast as a network that all processes
/// of the node share.  With a fourth, nodes decide where there is a choice, but never turn boxes into thin
/// slices.
inline constexpr int on_node_share = 4;

} // namespace ortho::placement
