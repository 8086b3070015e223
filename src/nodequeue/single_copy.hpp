// SPDX-License-Identifier: BSD-3-Clause
// Data that its receiver copies from where it lies, once.  No MPI in this file.
#pragma once

#include <cstddef>
#include <cstdint>

#include "transport/packing.hpp"

namespace ortho::nodequeue {

/// How a receiver gets at data where its sender has it.
enum class Access : std::uint8_t {
    none,   ///< it does not, or it does not pay: the data goes through a ring
    mapped, ///< it lies in the sender's arena, which the receiver sees
    remote, ///< the receiver has the system copy it (base/peer_memory.hpp)
    device, ///< it lies in the memory of a device, and stays there (nodequeue/device_rows.hpp)
};

/// Is one copy less worth that the sender waits for its receiver?  `bytes`: of all the parts.
/// `least_remote`: from how many on the receiver reads the sender's memory.
Access access_to(const transport::Parts& parts, std::size_t bytes, std::size_t least_remote);

/// Descriptors tell another process where the parts lie.
std::size_t bytes_of_descriptors(const transport::Parts& parts);
void write_descriptors(const transport::Parts& parts, Access access, std::byte* row);

/// Are the parts so many that a receiver has remote data read into a row, and spreads it?  `bytes`: of all.
bool are_too_fine_to_read(const transport::Parts& parts, std::size_t bytes);

/// The data that the descriptors in a row tell of.
class RemoteData {
public:
    /// `begin`: what addresses in the descriptors are relative to.
    RemoteData(const std::byte* row, std::size_t bytes, std::uintptr_t begin);

    std::size_t bytes() const { return bytes_; }
    /// Data in memory that this process sees.
    void copy_to(const transport::Parts& to) const { copy(boxes_, to); }
    /// Data of that process.  False if the system refuses.
    bool read_to(const transport::Parts& to, std::int64_t process) const;

private:
    std::vector<grid::StridedBox> boxes_;
    std::size_t bytes_ = 0;
};

} // namespace ortho::nodequeue
