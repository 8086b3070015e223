// SPDX-License-Identifier: BSD-3-Clause
// Processes of this node with which sharing memory has been agreed on before.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace ortho::nodequeue {

/// Have this process and each of these, by rank in MPI_COMM_WORLD, found before that they see each other's
/// arenas, and, if they are to be `read`, that they may read each other's memory?
bool are_known_peers(std::span<const int> world_ranks, bool read);

/// They have.  The arena is kept mapped, so that it is seen again whatever memory is left then.  Does nothing
/// if there is no memory for that.
void keep_known_peer(int world_rank, bool read, const std::shared_ptr<std::byte>& arena) noexcept;

} // namespace ortho::nodequeue
