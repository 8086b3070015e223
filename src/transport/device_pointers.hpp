// SPDX-License-Identifier: BSD-3-Clause
// MPIs that take addresses of devices' memory.
#pragma once

#include <cstddef>

#include "memory/kind.hpp"
#include "transport/data_location.hpp"

namespace ortho::transport {

/// Data in a row on a device, whose address MPI takes.
struct DeviceRow {
    memory::RowPart part{};
    std::size_t bytes = 0;

    operator bool() const { return part.transfer != nullptr; }
    /// A message has brought it.
    void note_arrival() const { part.transfer->note_on_device(part.offset, part.offset + bytes); }
};

/// Moves the address of so many bytes in a row to the device that host memory stands for, if the MPI says that
/// it takes such addresses, and messages from and to one have shown it.  Sent data lies in a row of boxes that
/// are fetched, received data in one of boxes that are stored.
DeviceRow move_to_device(DataLocation& place, std::size_t bytes, bool is_received);

} // namespace ortho::transport
