// SPDX-License-Identifier: BSD-3-Clause
// Messages between rows in the memory of devices, whose bytes host memory stands for.  No MPI in this file.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "memory/kind.hpp"
#include "transport/packing.hpp"

namespace ortho::nodequeue {

/// Bytes of a row on a device.
struct RowStretch {
    std::size_t offset;
    std::size_t bytes;
};

/// The data of a message in one row of a Transfer.
struct DeviceData {
    memory::Transfer* transfer = nullptr;
    std::vector<RowStretch> stretches{};
};
/// Sent data lies in a row of boxes that are fetched, received data in one of boxes that are stored.  Null if
/// it lies elsewhere.
std::unique_ptr<const DeviceData> device_data(const transport::Parts& parts, bool is_received);

/// Brings to the host what is sent.
void bring_to_host(const DeviceData& sent);

// A descriptor tells another process where they lie.
std::size_t bytes_of_descriptor(const DeviceData& sent);
void write_descriptor(const DeviceData& sent, std::byte* row);
/// How many bytes it tells of.
std::size_t bytes_described(std::span<const std::byte> descriptor);
/// Begins to copy as many as there is room for.  False if that device cannot, or nothing lies on one.
bool begin_copies(std::span<const std::byte> descriptor, const DeviceData* received);

} // namespace ortho::nodequeue
