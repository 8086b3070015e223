// SPDX-License-Identifier: BSD-3-Clause
// Private memory of another process of this node.  Linux copies it by a system call.  No MPI in this file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace ortho::base {

/// Consecutive bytes.
struct Range {
    std::byte* address; ///< in the process that they belong to
    std::size_t bytes;
};

/// Copies from ranges of that process to ranges of this one, one range after the other, as many bytes as both
/// have (process_vm_readv).  Returns false if the system refuses, or if some of the memory does not exist;
/// then any part of `to` may have been written.
bool read_peer(std::int64_t process, std::span<const Range> from, std::span<const Range> to);

/// May this process read the memory of that one?  `address` is the address there of a word with this value.
bool may_read(std::int64_t process, std::uint64_t address, std::uint64_t value);

} // namespace ortho::base
