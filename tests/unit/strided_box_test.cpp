// SPDX-License-Identifier: BSD-3-Clause
// Boxes of bytes: which of them have a byte in common.
#include "grid/strided_box.hpp"

using ortho::grid::find_overlap;
using ortho::grid::StridedBox;

namespace {

/// All bytes, one by one.
std::set<std::int64_t> bytes_of(const StridedBox& box)
{
    std::set<std::int64_t> runs{box.address};
    for (const auto& axis : box.axes) {
        std::set<std::int64_t> more;
        for (const std::int64_t run : runs)
            for (std::int64_t i = 0; i < axis.count; ++i) more.insert(run + i * axis.stride);
        runs = std::move(more);
    }
    std::set<std::int64_t> bytes;
    for (const std::int64_t run : runs)
        for (std::int64_t i = 0; i < box.run; ++i) bytes.insert(run + i);
    return bytes;
}

bool overlap(const StridedBox& a, const StridedBox& b) { return find_overlap({a, b}).has_value(); }

} // namespace

TEST(StridedBox, FindsWhatAllBytesTell)
{
    std::mt19937 random(1234);
    const auto number = [&](int first, int last) {
        return std::uniform_int_distribution<std::int64_t>(first, last)(random);
    };
    int overlapping = 0, in_each_other = 0;
    for (int repeat = 0; repeat < 5000; ++repeat) {
        StridedBox boxes[2];
        for (StridedBox& box : boxes) {
            box = {number(-40, 40), {}, number(1, 4)};
            for (std::int64_t axes = number(0, 3); axes > 0; --axes)
                box.axes.push_back({number(1, 4), number(1, 30)});
        }
        const std::set<std::int64_t> first = bytes_of(boxes[0]);
        const std::set<std::int64_t> second = bytes_of(boxes[1]);
        bool expected = false;
        for (const std::int64_t byte : second) expected = expected || first.contains(byte);
        EXPECT_EQ(overlap(boxes[0], boxes[1]), expected);
        overlapping += expected ? 1 : 0;
        in_each_other += !expected && *first.begin() < *second.rbegin() && *second.begin() < *first.rbegin()
                             ? 1
                             : 0;
    }
    EXPECT_GT(overlapping, 500);
    EXPECT_GT(in_each_other, 500);
}

TEST(StridedBox, ArraysOfOneShape)
{
    // The components of a million structures of 24 bytes lie in each other, and are apart.
    const auto component = [](std::int64_t begin) {
        return StridedBox{begin, {{1000, 24'000}, {1000, 24}}, 8};
    };
    EXPECT_FALSE(find_overlap({component(0), component(8), component(16)}));
    EXPECT_EQ(find_overlap({component(0), component(8), component(15)}),
              std::pair(std::size_t{1}, std::size_t{2}));
    EXPECT_EQ(find_overlap({component(24), component(8), component(24'000)}),
              std::pair(std::size_t{0}, std::size_t{2}));
    // One ends where the other one begins.
    EXPECT_FALSE(overlap(component(0), component(24'000'000)));
    EXPECT_TRUE(overlap(component(0), component(24'000'000 - 24)));
    // A box without bytes.
    EXPECT_FALSE(overlap(component(0), StridedBox{}));
}
