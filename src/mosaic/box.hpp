// SPDX-License-Identifier: BSD-3-Clause
// Boxes of cells in up to four dimensions.  No MPI in this file.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/text.hpp"

namespace ortho::mosaic {

constexpr std::size_t most_dimensions = 4;
/// A number for each dimension.
using Index = std::array<std::int64_t, most_dimensions>;

/// Cells or elements: `count` of them from `first` on.  Dimensions that are not there have one cell, 0.
struct Box {
    Index first{};
    Index count{1, 1, 1, 1};

    std::int64_t end(std::size_t k) const { return first[k] + count[k]; }
    bool is_empty() const
    {
        return std::ranges::any_of(count, [](std::int64_t n) { return n <= 0; });
    }
    std::int64_t volume() const
    {
        std::int64_t result = 1;
        for (const std::int64_t n : count) result *= n;
        return result;
    }
    /// Makes it reach from `low` to before `high` in a dimension.
    void set(std::size_t k, std::int64_t low, std::int64_t high)
    {
        first[k] = low;
        count[k] = high - low;
    }
    bool operator==(const Box&) const = default;
};

/// The cells that both have.
inline Box common(const Box& a, const Box& b)
{
    Box result;
    for (std::size_t k = 0; k < most_dimensions; ++k)
        result.set(k, std::max(a.first[k], b.first[k]), std::min(a.end(k), b.end(k)));
    return result;
}

/// Adds the boxes that are left of `whole` without the cells of another box.
inline void add_rest(std::vector<Box>& boxes, Box whole, const Box& other)
{
    const Box part = common(whole, other);
    if (part.is_empty()) return boxes.push_back(whole);
    for (std::size_t k = 0; k < most_dimensions; ++k) {
        Box below = whole;
        Box above = whole;
        below.set(k, whole.first[k], part.first[k]);
        above.set(k, part.end(k), whole.end(k));
        for (const Box& box : {below, above})
            if (!box.is_empty()) boxes.push_back(box);
        whole.set(k, part.first[k], part.end(k));
    }
}

/// The boxes that are left of others, which do not overlap, without the cells of one box.
inline std::vector<Box> rest_of(const std::vector<Box>& boxes, const Box& other)
{
    std::vector<Box> result;
    for (const Box& box : boxes) add_rest(result, box, other);
    return result;
}

/// Makes `a` cover `b`, too, if the two make a box together.
inline bool merge(Box& a, const Box& b)
{
    std::size_t along = most_dimensions;
    for (std::size_t k = 0; k < most_dimensions; ++k) {
        if (a.first[k] == b.first[k] && a.count[k] == b.count[k]) continue;
        if (along < most_dimensions || (a.end(k) != b.first[k] && b.end(k) != a.first[k])) return false;
        along = k;
    }
    if (along < most_dimensions)
        a.set(along, std::min(a.first[along], b.first[along]), std::max(a.end(along), b.end(along)));
    return true;
}

/// A text like "(0,4)" of the first d numbers.
inline std::string text_of(const Index& numbers, int d)
{
    std::string result;
    for (std::size_t k = 0; k < static_cast<std::size_t>(d); ++k)
        result += base::text(k == 0 ? "(" : ",", numbers[k]);
    return result + ")";
}

} // namespace ortho::mosaic
