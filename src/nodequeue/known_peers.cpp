// SPDX-License-Identifier: BSD-3-Clause
// Processes of this node with which sharing memory has been agreed on before.

#include "nodequeue/known_peers.hpp"

#include <algorithm>
#include <exception>
#include <map>
#include <mutex>

#include "mpi/mutex.hpp"

namespace ortho::nodequeue {

namespace {

struct KnownPeer {
    std::shared_ptr<std::byte> arena;
    bool read; ///< may be, and so may we
};

struct KnownPeers {
    mpi::Mutex mutex;
    std::map<int, KnownPeer> peers; ///< by rank in MPI_COMM_WORLD
};

KnownPeers& known()
{
    static auto* const all = new KnownPeers; // graphs may outlive what is destroyed at exit
    return *all;
}

} // namespace

bool are_known_peers(std::span<const int> world_ranks, bool read)
{
    const std::lock_guard lock(known().mutex);
    return std::ranges::all_of(world_ranks, [read](int rank) {
        const auto found = known().peers.find(rank);
        return found != known().peers.end() && (found->second.read || !read);
    });
}

void keep_known_peer(int world_rank, bool read, const std::shared_ptr<std::byte>& arena) noexcept
try {
    const std::lock_guard lock(known().mutex);
    KnownPeer& peer = known().peers.try_emplace(world_rank, arena, false).first->second;
    peer.read = peer.read || read;
} catch (const std::exception&) {
    // Others have their communicator by now: next time all will look again.
}

} // namespace ortho::nodequeue
