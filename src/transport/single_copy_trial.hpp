// SPDX-License-Identifier: BSD-3-Clause
// From which size on is it faster that a receiver has the system copy its peer's data, once, than that both
// copy?
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace ortho::transport {

constexpr std::size_t trial_bytes = std::size_t{64} << 10;

/// So many bytes of a peer, which are free for trials: in its arena, as seen here, and in its own memory.
struct TrialPeer {
    std::int64_t process;
    std::uint64_t address;
    const std::byte* seen;
};

/// From how many bytes on one copy is worth it: `always`, `where_caches_end`, or `never`.
using SingleCopyFrom = std::size_t;
constexpr SingleCopyFrom always = 0;
/// What is larger does not stay in the cache of a core between two copies.
constexpr SingleCopyFrom where_caches_end = std::size_t{512} << 10;
constexpr SingleCopyFrom never = std::numeric_limits<std::size_t>::max();

/// Tries both a few times.  `mine`: as many bytes of our arena, which nobody else touches.  Prices that are built
/// in do not tell: the times that systems take to copy from another process differ by a factor.
SingleCopyFrom try_single_copy(const TrialPeer& peer, std::span<std::byte> mine);

/// The largest that trials of this process, and of those that it met, have found; `never`, too, if one of them
/// could not read a peer's memory.
SingleCopyFrom single_copy_from() noexcept;
void keep_single_copy_from(SingleCopyFrom found) noexcept;

} // namespace ortho::transport
