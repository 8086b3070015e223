// SPDX-License-Identifier: BSD-3-Clause
// Processes of this node with which sharing memory has been agreed on before.

#include "transport/known_peers.hpp"

#include <algorithm>
#include <exception>
#include <map>
#include <mutex>
#include <utility>

#include "mpi/mutex.hpp"

namespace ortho::transport {

namespace {

struct KnownPeers {
    mpi::Mutex mutex;
    std::map<int, std::shared_ptr<std::byte>> arenas; ///< by rank in MPI_COMM_WORLD
};

KnownPeers& known()
{
    static auto* const all = new KnownPeers; // graphs may outlive what is destroyed at exit
    return *all;
}

} // namespace

bool are_known_peers(std::span<const int> world_ranks)
{
    const std::lock_guard lock(known().mutex);
    return std::ranges::all_of(world_ranks, [](int rank) { return known().arenas.contains(rank); });
}

void keep_known_peer(int world_rank, std::shared_ptr<std::byte> arena) noexcept
try {
    const std::lock_guard lock(known().mutex);
    known().arenas.emplace(world_rank, std::move(arena));
} catch (const std::exception&) {
    // Others have their communicator by now: next time all will look again.
}

} // namespace ortho::transport
