// SPDX-License-Identifier: BSD-3-Clause
// The kernels that run on a device; `make ptx` compiles them (src/memory/kernels_ptx.hpp).  The tests' driver
// (tests/pretend/) compiles them for the host.

#include "cuda_boxes.hpp"
#include "reduction.hpp"

namespace {

using ortho::memory::CudaBox;
using ortho::memory::Reduction;

// Where a unit of the boxes lies.
__device__ char* place_of(unsigned long long unit, const CudaBox* boxes, unsigned int number, unsigned int bytes)
{
    unsigned int low = 0;
    for (unsigned int high = number; high - low > 1;) {
        const unsigned int middle = low + (high - low) / 2;
        if (boxes[middle].first <= unit)
            low = middle;
        else
            high = middle;
    }
    const CudaBox& box = boxes[low];
    auto rest = static_cast<unsigned int>(unit - box.first);
    char* at = reinterpret_cast<char*>(box.address) + static_cast<long long>(rest % box.run) * bytes;
    rest /= box.run;
    for (int k = CudaBox::axes - 1; k >= 0; --k) {
        at += static_cast<long long>(rest % box.counts[k]) * box.strides[k];
        rest /= box.counts[k];
    }
    return at;
}

template <class Number>
__device__ void reduce(const char* from, char* to, Reduction::By by)
{
    const Number a = *reinterpret_cast<const Number*>(from);
    Number& b = *reinterpret_cast<Number*>(to);
    switch (by) {
    case Reduction::By::sum: b = a + b; break;
    case Reduction::By::min: b = a < b ? a : b; break;
    case Reduction::By::max: b = a > b ? a : b; break;
    }
}

} // namespace

// Copies boxes to the row, or from it where `stores` is not 0: of the units of all boxes those from `begin` to
// `end`.  A unit has `bytes` bytes, a power of two up to 16 that all addresses and strides are multiples of.
extern "C" __global__ void copy_boxes(const CudaBox* boxes, unsigned int number, char* row,
                                      unsigned long long begin, unsigned long long end, unsigned int bytes,
                                      unsigned int stores)
{
    const unsigned long long step = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
    unsigned long long unit = begin + static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
    for (; unit < end; unit += step) {
        char* const at = place_of(unit, boxes, number, bytes);
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

// Reduces units of the row into those of the boxes, which are numbers.
extern "C" __global__ void reduce_boxes(const CudaBox* boxes, unsigned int number, const char* row,
                                        unsigned long long begin, unsigned long long end, unsigned int bytes,
                                        Reduction reduction)
{
    const unsigned long long step = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
    unsigned long long unit = begin + static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
    for (; unit < end; unit += step) {
        char* const at = place_of(unit, boxes, number, bytes);
        const char* const in_row = row + unit * bytes;
        switch (reduction.number) {
        case Reduction::Number::int32: reduce<int>(in_row, at, reduction.by); break;
        case Reduction::Number::int64: reduce<long long>(in_row, at, reduction.by); break;
        case Reduction::Number::float32: reduce<float>(in_row, at, reduction.by); break;
        case Reduction::Number::float64: reduce<double>(in_row, at, reduction.by); break;
        }
    }
}
