// SPDX-License-Identifier: BSD-3-Clause
// Messages whose data lies in rows of devices, and MPIs that take their addresses.
#pragma once

#include <cstddef>
#include <vector>

#include "memory/kind.hpp"
#include "transport/bound_datatypes.hpp"
#include "transport/data_location.hpp"

namespace ortho::transport {

/// The data of a message in a row of a Transfer: what is sent lies among the boxes that are fetched, what is
/// received among those that are stored.
class DeviceRow {
public:
    DeviceRow() = default; ///< it lies elsewhere, or there is none
    DeviceRow(const std::vector<DataLocation>& data, BoundDatatypes& layouts, bool is_received);

    operator bool() const { return part_.transfer != nullptr; }
    /// Moves the place of all of it to the device, if the MPI says that it takes such addresses, and messages
    /// from and to one have shown it.
    bool move_to_device(DataLocation& place) const;
    /// True once fetch() of the Transfer has brought the data to the host.
    bool has_come() const { return !*this || part_.transfer->fetched_so_far() >= end(); }
    /// Tells the Transfer that a message has brought all data, to the device (`to_device`) or to the host.
    void note_arrival(bool to_device) const;

private:
    std::size_t end() const { return part_.offset + bytes_; }

    memory::RowPart part_{};
    std::size_t bytes_ = 0; ///< from the first one of the data to the last one
};

} // namespace ortho::transport
