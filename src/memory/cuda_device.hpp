// SPDX-License-Identifier: BSD-3-Clause
// A context of one of NVIDIA's devices: kernels, a stream, memory.  No MPI in this file.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

#include "grid/strided_box.hpp"
#include "memory/cuda_driver.hpp"
#include "memory/kind.hpp"

namespace ortho::memory::cuda {

/// A context of a device.
class Device {
public:
    explicit Device(Context its_context) : context(its_context) {}

    // In the context:

    /// Loads the kernels unless they are there.  Nothing else is done before, and this under a lock.
    void load();
    /// Memory of the device.  None if it has none left.
    struct Memory {
        std::size_t bytes;
        SharedRow row;
    };
    std::optional<Memory> allocate(std::size_t bytes);
    /// Others may have opened it: it is kept for the next one who wants memory.
    void release(const Memory& memory);
    /// Where a row of this process or of another one is; nothing if that cannot be reached.
    std::optional<DevicePointer> open(const SharedRow& row);

    Context context = nullptr;
    void* copy_boxes = nullptr; ///< a kernel
    void* reduce_boxes = nullptr;
    Stream stream = nullptr; ///< ours, which waits for none of the program's

private:
    std::mutex mutex_;
    std::multimap<std::size_t, SharedRow> free_;
    std::map<std::array<unsigned char, 64>, std::optional<DevicePointer>> opened_;
};

/// Copies between boxes in its memory and rows (memory/cuda_transfer.cpp).
std::unique_ptr<Transfer> make_transfer(Device& device, std::span<const grid::StridedBox> fetched,
                                        std::span<const grid::StridedBox> stored, AllocatePages allocate,
                                        Rows rows, unsigned number_bytes);

} // namespace ortho::memory::cuda
