// SPDX-License-Identifier: BSD-3-Clause
// Finds arrays from the boxes that a process exchanges.  tests/mpi/alltoallw_halo_test.cpp has more cases.
#include "grid/halo_detection.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "random_cases.hpp"

using namespace ortho::grid;
using Ints = std::vector<int>;

namespace {

TEST(StridedBox, HasOneDescription)
{
    // Two rows of three elements of 8 bytes, in rows of three: 48 bytes.
    EXPECT_EQ(normalized({100, {{2, 24}, {1, 7}, {3, 8}}, 8}), (StridedBox{100, {}, 48}));
    EXPECT_EQ(normalized({100, {{2, 32}, {3, 8}}, 8}), (StridedBox{100, {{2, 32}}, 24}));
    EXPECT_EQ(normalized({100, {{4, 96}, {2, 48}, {3, 16}}, 8}), (StridedBox{100, {{24, 16}}, 8}));
    EXPECT_TRUE(normalized({100, {{2, 32}, {0, 8}}, 8})->is_empty());
    EXPECT_EQ(normalized({100, {{3, 8}, {2, 32}}, 8}), std::nullopt);  // columns first
    EXPECT_EQ(normalized({100, {{2, -32}, {3, 8}}, 8}), std::nullopt); // last row first
    EXPECT_EQ(normalized({100, {{2, 16}, {3, 8}}, 8}), std::nullopt);  // rows overlap
}

/// A process's array of elements of 8 bytes, with 2+n0+1 rows of 1+n1+3 elements and one more.
constexpr int lower[] = {2, 1}, owned[] = {5, 4}, upper[] = {1, 3};
constexpr int room[] = {8, 9};

StridedBox box(const Ints& start, const Ints& size, int gap = 0)
{
    const std::int64_t element = 8 + gap;
    return *normalized({4096 + element * (start[0] * room[1] + start[1]),
                        {{size[0], element * room[1]}, {size[1], element}},
                        8});
}

/// The boxes that the process exchanges with all eight others around it on a torus.
std::vector<ExchangedBoxes> exchanged(const Neighborhood& neighborhood, int gap = 0)
{
    std::vector<ExchangedBoxes> result;
    for (int i = 0; i < neighborhood.size(); ++i) {
        Ints sent, received, size;
        for (int k = 0; k < 2; ++k) {
            const int step = neighborhood.offsets(i, k);
            size.push_back(step > 0 ? lower[k] : step < 0 ? upper[k] : owned[k]);
            sent.push_back(lower[k] + (step > 0 ? owned[k] - lower[k] : 0));
            received.push_back(step > 0 ? 0 : lower[k] + (step < 0 ? owned[k] : 0));
        }
        result.push_back({box(sent, size, gap), box(received, size, gap)});
    }
    return result;
}

Neighborhood around(const Grid& grid)
{
    Stencil stencil(2);
    for (const Ints& step : cases::box(2, -1, 1))
        if (step != Ints{0, 0}) stencil.push_back(step);
    return canonical(grid, stencil).neighborhood;
}

TEST(FindHalo, MeasuresTheInnermostDimensionInBytes)
{
    const Neighborhood neighborhood = around(Grid({4, 3}, {1, 1}));
    const auto found = find_halo(neighborhood, exchanged(neighborhood));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->element, 1);
    EXPECT_EQ(found->nesting, (Ints{0, 1}));
    EXPECT_EQ(found->lower, (Ints{2, 8}));
    EXPECT_EQ(found->owned, (Ints{5, 32}));
    EXPECT_EQ(found->upper, (Ints{1, 24}));
    EXPECT_EQ(found->strides, (std::vector<std::int64_t>{72, 1})); // one element more than needed
    EXPECT_EQ(found->address, 4096 + 8 * (2 * room[1] + 1));
    for (int i = 0; i < neighborhood.size(); ++i)
        for (int k = 0; k < 2; ++k)
            EXPECT_EQ((*found->regions[static_cast<std::size_t>(i)])[static_cast<std::size_t>(k)],
                      -neighborhood.offsets(i, k));
}

TEST(FindHalo, TakesRunsForElementsWhereThereAreGaps)
{
    const Neighborhood neighborhood = around(Grid({4, 3}, {1, 1}));
    const auto found = find_halo(neighborhood, exchanged(neighborhood, 4));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->element, 8);
    EXPECT_EQ(found->strides, (std::vector<std::int64_t>{12 * room[1], 12}));
    EXPECT_EQ(found->lower, (Ints{2, 1}));
    EXPECT_EQ(found->owned, (Ints{5, 4}));
    EXPECT_EQ(found->upper, (Ints{1, 3}));
}

TEST(FindHalo, FindsNothingIfAnyBoxIsAnother)
{
    const Neighborhood neighborhood = around(Grid({4, 3}, {1, 1}));
    for (std::size_t i = 0; i < 8; ++i) {
        for (const bool sent : {false, true}) {
            for (const int bytes : {-72, -8, -1, 1, 8, 72, 4096}) {
                auto boxes = exchanged(neighborhood);
                auto& spoiled = sent ? boxes[i].sent : boxes[i].received;
                spoiled->address += bytes;
                EXPECT_FALSE(find_halo(neighborhood, boxes)) << i << ' ' << sent << ' ' << bytes;
            }
            auto boxes = exchanged(neighborhood);
            auto& spoiled = sent ? boxes[i].sent : boxes[i].received;
            spoiled->run -= 8;
            EXPECT_FALSE(spoiled->run > 0 && find_halo(neighborhood, boxes)) << i << ' ' << sent;
            boxes = exchanged(neighborhood);
            (sent ? boxes[i].sent : boxes[i].received) = StridedBox{};
            EXPECT_FALSE(find_halo(neighborhood, boxes)) << i << ' ' << sent;
        }
        for (std::size_t j = 0; j < i; ++j) {
            auto boxes = exchanged(neighborhood);
            std::swap(boxes[i], boxes[j]);
            EXPECT_FALSE(find_halo(neighborhood, boxes)) << i << ' ' << j;
        }
    }
}

TEST(FindHalo, TellsStepsApartThatAreOneOffset)
{
    // All eight have offset 0, and are told apart by their boxes, in any order.
    const Neighborhood steps = around(Grid({4, 3}, {1, 1}));
    const Neighborhood neighborhood = around(Grid({1, 1}, {1, 1}));
    auto boxes = exchanged(steps);
    std::ranges::rotate(boxes, boxes.begin() + 3);
    const auto found = find_halo(neighborhood, boxes);
    ASSERT_TRUE(found);
    for (int i = 0; i < 8; ++i)
        for (int k = 0; k < 2; ++k)
            EXPECT_EQ((*found->regions[static_cast<std::size_t>(i)])[static_cast<std::size_t>(k)],
                      -steps.offsets((i + 3) % 8, k));
}

} // namespace
