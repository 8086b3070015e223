// SPDX-License-Identifier: BSD-3-Clause
// Is it faster that a receiver has the system copy its peer's data, once, than that both copy?
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace ortho::transport {

constexpr std::size_t trial_bytes = std::size_t{64} << 10;

/// So many bytes of a peer, which are free for trials: in its arena, as seen here, and in its own memory.
struct TrialPeer {
    std::int64_t process;
    std::uint64_t address;
    const std::byte* seen;
};

/// Tries both a few times.  `mine`: as many bytes of our arena.  Prices that are built in do not tell: the
/// times that systems take to copy from another process differ by a factor.
bool single_copy_pays(const TrialPeer& peer, std::span<std::byte> mine);

/// Has a trial of this process, or of one that it met, said no, or could one of them not read a peer's
/// memory?  Then none of them tries again.
bool single_copy_is_off() noexcept;
void keep_single_copy_is_off() noexcept;

} // namespace ortho::transport
