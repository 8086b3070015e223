// SPDX-License-Identifier: BSD-3-Clause
// A context of one of NVIDIA's devices: kernels, a stream, memory.  No MPI in this file.

#include "memory/cuda_device.hpp"

#include <unistd.h>

#include <algorithm>
#include <bit>

#include "base/arithmetic.hpp"
#include "memory/kernels_ptx.hpp"

namespace ortho::memory::cuda {

void Device::load()
{
    if (stream != nullptr) return;
    constexpr unsigned non_blocking = 1;
    void* module = nullptr;
    CHECKED(cuModuleLoadData, &module, kernels_ptx);
    CHECKED(cuModuleGetFunction, &copy_boxes, module, "copy_boxes");
    CHECKED(cuModuleGetFunction, &reduce_boxes, module, "reduce_boxes");
    CHECKED(cuStreamCreate, &stream, non_blocking);
}

std::optional<Device::Memory> Device::allocate(std::size_t bytes)
{
    // Rows that become longer and longer fit into few sizes, four from one power of two to the next.
    const std::size_t step = std::max<std::size_t>(1, std::bit_floor(bytes) / 4);
    bytes = base::rounded_up(bytes, step);
    const std::lock_guard lock(mutex_);
    if (const auto found = free_.lower_bound(bytes); found != free_.end() && found->first / 2 <= bytes)
        return Memory{found->first, free_.extract(found).mapped()};
    DevicePointer address = 0;
    if (driver.cuMemAlloc_v2(&address, bytes) != success) return std::nullopt;
    IpcHandle handle{};
    if (driver.cuIpcGetMemHandle(&handle, address) != success) handle = {}; // no other process opens it
    return Memory{bytes, {getpid(), address, handle.bytes}};
}

void Device::release(const Memory& memory)
{
    const std::lock_guard lock(mutex_);
    free_.emplace(memory.bytes, memory.row);
}

std::optional<DevicePointer> Device::open(const SharedRow& row)
{
    if (row.process == getpid()) return row.address;
    const std::lock_guard lock(mutex_);
    const auto [found, is_new] = opened_.try_emplace(row.handle);
    constexpr unsigned from_other_devices = 1;
    if (DevicePointer address = 0;
        is_new && driver.cuIpcOpenMemHandle_v2(&address, {row.handle}, from_other_devices) == success)
        found->second = address;
    return found->second;
}

} // namespace ortho::memory::cuda
