// SPDX-License-Identifier: BSD-3-Clause
// The one kernel that runs on a device; `make ptx` compiles it (src/memory/kernels_ptx.hpp).  The tests'
// driver (tests/pretend/) compiles it for the host.

#include "cuda_boxes.hpp"

// Copies boxes to the row, or from it where `stores` is not 0: of the units of all boxes those from `begin` to
// `end`.  A unit has `bytes` bytes, a power of two up to 16 that all addresses and strides are multiples of.
extern "C" __global__ void copy_boxes(const ortho::memory::CudaBox* boxes, unsigned int number,
                                            char* row, unsigned long long begin, unsigned long long end,
                                            unsigned int bytes, unsigned int stores)
{
    const unsigned long long step = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
    unsigned long long unit = begin + static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
    for (; unit < end; unit += step) {
        unsigned int low = 0;
        for (unsigned int high = number; high - low > 1;) {
            const unsigned int middle = low + (high - low) / 2;
            if (boxes[middle].first <= unit)
                low = middle;
            else
                high = middle;
        }
        const ortho::memory::CudaBox& box = boxes[low];
        auto rest = static_cast<unsigned int>(unit - box.first);
        char* at = reinterpret_cast<char*>(box.address) + static_cast<long long>(rest % box.run) * bytes;
        rest /= box.run;
        for (int k = ortho::memory::CudaBox::axes - 1; k >= 0; --k) {
            at += static_cast<long long>(rest % box.counts[k]) * box.strides[k];
            rest /= box.counts[k];
        }
        char* const in_row = row + unit * bytes;
        char* const to = stores != 0 ? at : in_row;
        const char* const from = stores != 0 ? in_row : at;
        switch (bytes) {
        case 16: {
            const auto* const a = reinterpret_cast<const ulonglong2*>(from);
            *reinterpret_cast<ulonglong2*>(to) = *a;
            break;
        }
        case 8: {
            const auto* const a = reinterpret_cast<const unsigned long long*>(from);
            *reinterpret_cast<unsigned long long*>(to) = *a;
            break;
        }
        case 4: *reinterpret_cast<unsigned int*>(to) = *reinterpret_cast<const unsigned int*>(from); break;
        case 2: *reinterpret_cast<unsigned short*>(to) = *reinterpret_cast<const unsigned short*>(from); break;
        default: *to = *from; break;
        }
    }
}
