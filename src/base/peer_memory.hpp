// SPDX-License-Identifier: BSD-3-Clause
// Memory of another process of this node that it shares with nobody: Linux copies it by a system call.  No
// MPI in this file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace ortho::base {

/// Some bytes in a row.
struct Range {
    std::byte* address; ///< in the process that they belong to
    std::size_t bytes;
};

/// Copies from ranges of that process to ranges of this one, one after the other, as many bytes as both have
/// (process_vm_readv).  False if the system refuses, or some of the memory is not there: then any part of
/// `to` may have been written.
bool read_peer(std::int64_t process, std::span<const Range> from, std::span<const Range> to);

/// May this process read the memory of that one?  `address`: there, of a word with this value.
bool may_read(std::int64_t process, std::uint64_t address, std::uint64_t value);

} // namespace ortho::base
