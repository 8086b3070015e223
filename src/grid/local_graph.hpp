// SPDX-License-Identifier: BSD-3-Clause
// One process's part of a communication graph.  No MPI in this file.
#pragma once

#include <algorithm>
#include <vector>

namespace ortho::grid {

/// The entry of a list for a missing neighbor.  Its slot is in the buffers, but is not sent or received.
inline constexpr int gap = -1;

/// The edges of the process `rank`: slot i of its receive lists belongs to the in-edge
/// from sources[i], slot i of its send lists to the out-edge to targets[i].  A process
/// may occur more than once, and may be `rank` itself.
///
/// The k-th edge u -> v in u's targets is the k-th u in v's sources (MPI-4.1, 8.6).
struct LocalGraph {
    int rank = 0;
    std::vector<int> sources;
    std::vector<int> targets;

    bool operator==(const LocalGraph&) const = default;
};

/// True if any process is in the list twice.  Gaps do not count.
inline bool has_repeats(std::vector<int> list)
{
    std::erase(list, gap);
    std::ranges::sort(list);
    return std::ranges::adjacent_find(list) != list.end();
}

} // namespace ortho::grid
