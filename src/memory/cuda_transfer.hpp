// SPDX-License-Identifier: BSD-3-Clause
// Copies between boxes in the memory of NVIDIA's devices and rows.  No MPI in this file.
#pragma once

#include <memory>
#include <span>

#include "grid/strided_box.hpp"
#include "memory/cuda_device.hpp"
#include "memory/kind.hpp"

namespace ortho::memory::cuda {

std::unique_ptr<Transfer> make_transfer(Device& device, std::span<const grid::StridedBox> fetched,
                                        std::span<const grid::StridedBox> stored, AllocatePages allocate,
                                        Rows rows, unsigned number_bytes);

} // namespace ortho::memory::cuda
