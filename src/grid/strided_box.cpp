// SPDX-License-Identifier: BSD-3-Clause
// Bytes in memory at regular distances.  No MPI in this file.

#include "grid/strided_box.hpp"

#include <algorithm>
#include <ranges>

namespace ortho::grid {

std::optional<StridedBox> normalized(StridedBox box)
{
    if (box.run == 0 || std::ranges::any_of(box.axes, [](const auto& axis) { return axis.count == 0; }))
        return StridedBox{};
    std::vector<StridedBox::Axis> inner_first;
    std::int64_t span = box.run; // bytes from the first to the last of one step of the next axis
    for (const auto& axis : box.axes | std::views::reverse) {
        if (axis.count == 1) continue;
        if (axis.stride < span) return std::nullopt;
        const bool follows = inner_first.empty()
                                 ? axis.stride == box.run
                                 : axis.stride == inner_first.back().count * inner_first.back().stride;
        if (!follows)
            inner_first.push_back(axis);
        else if (inner_first.empty())
            box.run *= axis.count;
        else
            inner_first.back().count *= axis.count;
        span += (axis.count - 1) * axis.stride;
    }
    std::ranges::reverse(inner_first);
    box.axes = std::move(inner_first);
    return box;
}

} // namespace ortho::grid
