// SPDX-License-Identifier: BSD-3-Clause
// From which size on is it faster that a receiver has the system copy its peer's data, once, than that both
// copy?
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace ortho::transport {

/// A block that is tried, and how many there are: each is touched but once, since data that a program has just
/// computed is in the cache of its core, and not in the reader's.
constexpr std::size_t trial_block_bytes = std::size_t{32} << 10;
constexpr std::size_t trials = 3;
constexpr std::size_t trial_bytes = 2 * trials * trial_block_bytes;

/// trial_bytes of a peer, which it has written, and which nobody else touches: in its arena, as seen here, and in
/// its own memory.
struct TrialPeer {
    std::int64_t process;
    std::uint64_t address;
    std::byte* seen;
};

/// From how many bytes on one copy is worth it: `always`, `where_caches_end`, or `never`.
using SingleCopyFrom = std::size_t;
constexpr SingleCopyFrom always = 0;
/// What is larger does not stay in the cache of a core between two copies.
constexpr SingleCopyFrom where_caches_end = std::size_t{512} << 10;
constexpr SingleCopyFrom never = std::numeric_limits<std::size_t>::max();

/// Tries both a few times.  Prices that are built in do not tell: the times that systems take to copy from
/// another process differ by a factor.
SingleCopyFrom try_single_copy(const TrialPeer& peer);

/// The largest that trials of this process, and of those that it met, have found; `never`, too, if one of them
/// could not read a peer's memory.
SingleCopyFrom single_copy_from() noexcept;
void keep_single_copy_from(SingleCopyFrom found) noexcept;

} // namespace ortho::transport
