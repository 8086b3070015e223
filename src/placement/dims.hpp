// SPDX-License-Identifier: BSD-3-Clause
// Sizes of a grid for a number of processes.  No MPI in this file.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "grid/nodes.hpp"

namespace ortho::placement {

/// `given`, with each 0 replaced such that the product is `processes`, in non-increasing order.  Of all ways
/// to do so:
///
/// - without nodes, or on one: the least sum, and of equal sums the least greatest size, then the least
///   second, and so on.  (A cube that is cut into n_k slices in each dimension k has a surface between
///   processes that grows with the sum of n_k.)
/// - else the one where least is exchanged, if a cube is cut into these slices, each process exchanges with
///   its neighbors, not around borders, what lies at the faces between them, and nodes are placed well; where
///   between processes of one node an exchange counts `1 / on_node_share`.  Of equals, the first in the order
///   above.
///
/// Throws base::Error (dims, "dims") for negative sizes and where there is no way.
std::vector<int> choose_dims(std::int64_t processes, std::span<const int> given, const grid::Nodes* nodes);

/// What stays on a node goes through memory, which is several times as fast as a network that all of the
/// node's processes share.  A fourth is little enough for nodes to decide where there is a choice, and enough
/// for not making slices of processes for their sake.
inline constexpr int on_node_share = 4;

} // namespace ortho::placement
