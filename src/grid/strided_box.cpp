// SPDX-License-Identifier: BSD-3-Clause
// Bytes in memory at regular distances.  No MPI in this file.

#include "grid/strided_box.hpp"

#include <functional>
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

namespace {

/// A number of steps of one length, from lowest to highest.
struct Steps {
    std::int64_t length;
    std::int64_t lowest;
    std::int64_t highest;
};

/// True if the distance is the sum of some of each of these steps, from `lowest` to `highest` of them.
/// `left`: how many sums may still be tried.
bool is_sum(std::int64_t distance, const Steps* steps, const Steps* end, int& left)
{
    if (steps == end) return distance == 0;
    std::int64_t least = 0; // of those behind the first
    std::int64_t most = 0;
    for (const Steps* rest = steps + 1; rest != end; ++rest) {
        least += rest->length * rest->lowest;
        most += rest->length * rest->highest;
    }
    const auto up = [](std::int64_t a, std::int64_t b) { return a / b + (a % b > 0 ? 1 : 0); };
    const auto down = [](std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); };
    const std::int64_t first = std::max(steps->lowest, up(distance - most, steps->length));
    const std::int64_t last = std::min(steps->highest, down(distance - least, steps->length));
    for (std::int64_t n = first; n <= last && left-- > 0; ++n)
        if (is_sum(distance - n * steps->length, steps + 1, end, left)) return true;
    return false;
}

bool have_common_byte(const StridedBox& a, const StridedBox& b, int& left)
{
    std::vector<Steps> steps{{1, 1 - b.run, a.run - 1}};
    for (const auto& axis : a.axes)
        if (axis.count > 1) steps.push_back({axis.stride, 0, axis.count - 1});
    for (const auto& axis : b.axes)
        if (axis.count > 1) steps.push_back({axis.stride, 1 - axis.count, 0});
    std::ranges::sort(steps, std::ranges::greater(), &Steps::length);
    // Steps of one length are taken together, so that few sums are near a distance.
    std::vector<Steps> different;
    for (const Steps& each : steps)
        if (!different.empty() && different.back().length == each.length) {
            different.back().lowest += each.lowest;
            different.back().highest += each.highest;
        } else {
            different.push_back(each);
        }
    return is_sum(b.address - a.address, different.data(), different.data() + different.size(), left);
}

std::int64_t end_of(const StridedBox& box)
{
    std::int64_t end = box.address + box.run;
    for (const auto& axis : box.axes) end += (axis.count - 1) * axis.stride;
    return end;
}

} // namespace

std::optional<std::pair<std::size_t, std::size_t>> find_overlap(const std::vector<StridedBox>& boxes)
{
    std::vector<std::size_t> by_address;
    for (std::size_t i = 0; i < boxes.size(); ++i)
        if (!boxes[i].is_empty()) by_address.push_back(i);
    std::ranges::sort(by_address, {}, [&](std::size_t i) { return boxes[i].address; });
    int left = 100'000;
    for (std::size_t i = 0; i < by_address.size(); ++i) {
        const StridedBox& a = boxes[by_address[i]];
        const std::int64_t end = end_of(a);
        for (std::size_t j = i + 1; j < by_address.size() && boxes[by_address[j]].address < end; ++j) {
            if (left <= 0) return std::nullopt;
            if (have_common_byte(a, boxes[by_address[j]], left))
                return std::minmax({by_address[i], by_address[j]});
        }
    }
    return std::nullopt;
}

} // namespace ortho::grid
