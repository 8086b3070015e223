// SPDX-License-Identifier: BSD-3-Clause
// Boxes in the memory of a device, as its kernels read them.  No MPI in this file.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "grid/strided_box.hpp"
#include "memory/cuda_boxes.hpp"
#include "memory/cuda_driver.hpp"

namespace ortho::memory::cuda {

/// Boxes for the kernel, all made of units of one size.
struct BoxTable {
    std::vector<CudaBox> boxes;
    unsigned long long units = 0;
    unsigned unit;
    DevicePointer on_device = 0; ///< where the kernel reads them
    std::size_t offset = 0;      ///< of the row in host memory

    BoxTable(std::span<const grid::StridedBox> list, unsigned most_unit) : unit(most_unit)
    {
        for (const grid::StridedBox& box : list) {
            if (box.is_empty()) continue;
            while (!box.has_units_of(unit)) unit /= 2;
        }
        for (const grid::StridedBox& box : list)
            if (!box.is_empty()) add(box.address, box.axes, box.run);
    }
    std::size_t bytes() const { return static_cast<std::size_t>(units) * unit; }
    std::size_t table_bytes() const { return boxes.size() * sizeof(CudaBox); }

private:
    void add(std::int64_t address, std::span<const grid::StridedBox::Axis> axes, std::int64_t run)
    {
        constexpr std::int64_t most = std::int64_t{1} << 30;
        std::int64_t number = run / unit;
        for (const auto& axis : axes)
            if (number <= most) number *= std::min(axis.count, most);
        if (axes.size() > CudaBox::axes || (number > most && !axes.empty())) {
            for (std::int64_t i = 0; i < axes[0].count; ++i)
                add(address + i * axes[0].stride, axes.subspan(1), run);
            return;
        }
        for (; number > most; number -= most) { // a run alone
            append(address, {}, most);
            address += most * unit;
        }
        append(address, axes, axes.empty() ? number : run / unit);
    }
    void append(std::int64_t address, std::span<const grid::StridedBox::Axis> axes, std::int64_t run)
    {
        CudaBox box{
            static_cast<unsigned long long>(address), units, static_cast<unsigned>(run), {1, 1, 1}, {}};
        unsigned long long number = box.run;
        const std::size_t first = CudaBox::axes - axes.size();
        for (std::size_t k = 0; k < axes.size(); ++k) {
            box.counts[first + k] = static_cast<unsigned>(axes[k].count);
            box.strides[first + k] = axes[k].stride;
            number *= box.counts[first + k];
        }
        boxes.push_back(box);
        units += number;
    }
};

} // namespace ortho::memory::cuda
