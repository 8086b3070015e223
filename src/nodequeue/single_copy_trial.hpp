// SPDX-License-Identifier: BSD-3-Clause
// From which size on is it faster that a receiver has the system copy its peer's data, once, than that both
// copy?
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace ortho::nodequeue {

/// The memory in each process's arena for a trial.  Nothing that is tried is alone on the way: as in an
/// exchange, each process writes its own memory while its peers write theirs.
struct TrialMemory {
    static constexpr std::size_t block_bytes = std::size_t{32} << 10;

    alignas(64) std::atomic<std::uint32_t> step{0}; ///< how many blocks have been written
    alignas(64) std::byte blocks[2][block_bytes]{};
};

/// The trial memory of a peer, as seen here, and in its own memory.
struct TrialPeer {
    std::int64_t process;
    const TrialMemory* seen;
    std::uint64_t address;
};

/// From how many bytes on one copy is worth it: `always`, `where_cores_are_shared`, `where_caches_end`, or
/// `never`.
using SingleCopyFrom = std::size_t;
constexpr SingleCopyFrom always = 0;
/// Blocks from this size on do not stay in the cache of a core between two copies.
constexpr SingleCopyFrom where_caches_end = std::size_t{512} << 10;
/// Where caches serve both copies, a block whose sender may not wait goes by MPI from this size on.  Below it
/// MPI takes longer: 1.4 times as long with 32 KiB, 1.2 with 64.
constexpr std::size_t by_mpi_where_caches_serve = std::size_t{128} << 10;
/// The processes of a core share its cache, and times tell nothing.  There what a process sends at once
/// counts, if its messages are not small: to 4 partners, 128 KiB each take 0.76 of the time by one copy, to 2
/// partners 1.5 of it.
constexpr SingleCopyFrom where_cores_are_shared = std::size_t{128} << 10;
constexpr SingleCopyFrom never =
    std::numeric_limits<long long>::max(); // processes tell each other such numbers

/// The least message to go by one copy, of one that a process sends to each of so many others.
constexpr std::size_t least_bytes(SingleCopyFrom from, std::size_t partners)
{
    return from == where_cores_are_shared
               ? std::max(from, where_caches_end / std::max<std::size_t>(1, partners))
               : from;
}

/// Tries both a few times, in step with the peer, which does the same with another one; not if that takes
/// long.  Prices that are built in do not tell: the times that systems and caches take differ by a factor.
SingleCopyFrom try_single_copy(const TrialPeer& peer, TrialMemory& mine);

/// The largest that trials of this process, and of those that it met, have found; `never`, too, if one of
/// them could not read a peer's memory.
SingleCopyFrom single_copy_from() noexcept;
void keep_single_copy_from(SingleCopyFrom found) noexcept;

} // namespace ortho::nodequeue
