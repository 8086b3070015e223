// SPDX-License-Identifier: BSD-3-Clause
#include "grid/subgrid.hpp"

using namespace ortho::grid;
using cases::uniform;

namespace {

const Grid torus({4, 4}, {1, 1});
const Grid mesh({4, 4}, {0, 0});

TEST(Subgrid, RowsColumnsAndBlocks)
{
    EXPECT_EQ(subgrid(torus, std::vector{4, 5, 6, 7}), Grid({1, 4}, {0, 1}));
    EXPECT_EQ(subgrid(torus, std::vector{2, 6, 10, 14}), Grid({4, 1}, {1, 0}));
    EXPECT_EQ(subgrid(torus, std::vector{4, 5, 6}), Grid({1, 3}, {0, 0}));
    EXPECT_EQ(subgrid(mesh, std::vector{4, 5, 6, 7}), Grid({1, 4}, {0, 0}));
    EXPECT_EQ(subgrid(mesh, std::vector{5, 6, 9, 10}), Grid({2, 2}, {0, 0}));
    EXPECT_EQ(subgrid(torus, std::vector{5, 6, 9, 10}), Grid({2, 2}, {0, 0}));
    EXPECT_EQ(subgrid(mesh, std::vector{9}), Grid({1, 1}, {0, 0}));
    std::vector<int> all(16);
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(subgrid(torus, all), torus);
    EXPECT_EQ(subgrid(mesh, all), mesh);
}

TEST(Subgrid, StepsOfAnyLengthAndSign)
{
    const Grid ring({6}, {1});
    const Grid line({6}, {0});
    EXPECT_EQ(subgrid(ring, std::vector{0, 2, 4}), Grid({3}, {1}));
    // three steps and three steps are once around
    EXPECT_EQ(subgrid(ring, std::vector{1, 4}), Grid({2}, {1}));
    EXPECT_EQ(subgrid(ring, std::vector{0, 2}), Grid({2}, {0}));
    EXPECT_EQ(subgrid(ring, std::vector{5, 0, 1}), Grid({3}, {0}));
    EXPECT_EQ(subgrid(ring, std::vector{1, 0, 5, 4, 3, 2}), ring);
    EXPECT_EQ(subgrid(Grid({5}, {1}), std::vector{0, 2, 4, 1, 3}), Grid({5}, {1}));
    EXPECT_EQ(subgrid(line, std::vector{0, 2, 4}), Grid({3}, {0}));
    EXPECT_EQ(subgrid(line, std::vector{5, 3, 1}), Grid({3}, {0}));
    EXPECT_EQ(subgrid(line, std::vector{5, 0}), Grid({2}, {0}));
}

TEST(Subgrid, WhatIsNone)
{
    EXPECT_FALSE(subgrid(mesh, std::vector<int>{}));
    EXPECT_FALSE(subgrid(mesh, std::vector{0, 1, 3}));     // not equidistant
    EXPECT_FALSE(subgrid(mesh, std::vector{3, 0, 1}));     // there is no way around
    EXPECT_FALSE(subgrid(mesh, std::vector{0, 1, 4}));     // a corner is missing
    EXPECT_FALSE(subgrid(mesh, std::vector{0, 5}));        // a diagonal
    EXPECT_FALSE(subgrid(mesh, std::vector{5, 9, 6, 10})); // numbered the other way
    EXPECT_FALSE(subgrid(mesh, std::vector{5, 6, 10, 9})); // in no order
    EXPECT_FALSE(subgrid(mesh, std::vector{0, 1, 5, 6}));  // a parallelogram
    EXPECT_EQ(subgrid(Grid({4, 4}, {0, 0}, Order::col_major), std::vector{5, 6, 9, 10}),
              Grid({2, 2}, {0, 0}, Order::col_major));
}

TEST(Subgrid, SizesOneKeepTheirPeriodIfTheyAreAll)
{
    EXPECT_EQ(subgrid(Grid({1, 3}, {1, 1}), std::vector{0, 1, 2}), Grid({1, 3}, {1, 1}));
    EXPECT_EQ(subgrid(Grid({1, 3}, {0, 1}), std::vector{1}), Grid({1, 1}, {0, 0}));
    EXPECT_EQ(subgrid(Grid(), std::vector{0}), Grid());
}

/// The points of a random sub-grid, and the sub-grid.
TEST(Subgrid, AStepIsTheSameStepEverywhere)
{
    cases::Random random(6);
    int larger = 0;
    for (int repeat = 0; repeat < cases::times(4000); ++repeat) {
        const Grid grid = cases::random_grid(random, 4, 60);
        // Coordinates begin + i * step, as many as there is room for or fewer.
        std::vector<std::vector<int>> coordinates;
        std::vector<int> sizes;
        std::vector<std::int64_t> steps;
        std::vector<char> periodic;
        for (int k = 0; k < grid.dimensions(); ++k) {
            const int p = grid.size(k);
            const int step = p == 1 ? 1 : uniform(random, 1, p - 1) * (uniform(random, 0, 1) == 0 ? 1 : -1);
            const int most = uniform(random, 1, p);
            auto& list = coordinates.emplace_back();
            for (int c = uniform(random, 0, p - 1); c != Grid::nowhere && std::ssize(list) < most;
                 c = grid.wrap(k, c + step)) {
                if (std::ranges::find(list, c) != list.end()) break;
                list.push_back(c);
            }
            sizes.push_back(static_cast<int>(list.size()));
            steps.push_back(step);
            periodic.push_back(grid.wrap(k, list.back() + (list.size() == 1 ? 1 : step)) == list.front() ? 1
                                                                                                         : 0);
        }
        const Grid expected(sizes, periodic, grid.slowest_first());
        std::vector<int> points;
        for (int i = 0; i < expected.points(); ++i) {
            std::vector<int> place;
            for (int k = 0; k < grid.dimensions(); ++k)
                place.push_back(coordinates[at(k)][at(expected.coordinate(i, k))]);
            points.push_back(grid.rank(place));
        }
        const auto found = subgrid(grid, points);
        ASSERT_TRUE(found);
        ASSERT_EQ(*found, expected);
        larger += found->points() > 3 ? 1 : 0;

        // A step that stays on the sub-grid is the same step on the grid.
        const auto stencil = cases::random_stencil(random, grid.dimensions(), 5, 3);
        for (int n = 0; n < stencil.size(); ++n) {
            std::vector<int> on_grid;
            for (int k = 0; k < grid.dimensions(); ++k)
                on_grid.push_back(sizes[at(k)] == 1 ? stencil(n, k)
                                                    : static_cast<int>(stencil(n, k) * steps[at(k)]));
            for (int i = 0; i < found->points(); ++i) {
                const int to = found->neighbor(i, stencil[n]);
                if (to == Grid::nowhere) continue;
                ASSERT_EQ(points[at(to)], grid.neighbor(points[at(i)], on_grid));
            }
        }

        // After an exchange of two points, there is no grid, or one with other directions.
        if (points.size() < 3) continue;
        std::swap(points[0], points[at(uniform(random, 1, static_cast<int>(points.size()) - 1))]);
        if (const auto other = subgrid(grid, points)) {
            ASSERT_EQ(other->points(), expected.points());
            std::vector<int> step(at(grid.dimensions()), 0);
            for (int k = 0; k < grid.dimensions(); ++k) {
                if (other->size(k) < 2) continue;
                step[at(k)] = 1;
                const int neighbor = other->neighbor(0, step);
                std::vector<int> old(at(grid.dimensions()));
                grid.offset(points[0], points[at(neighbor)], old);
                for (int i = 0; i < other->points(); ++i) {
                    const int to = other->neighbor(i, step);
                    if (to == Grid::nowhere) continue;
                    ASSERT_EQ(points[at(to)], grid.neighbor(points[at(i)], old));
                }
                step[at(k)] = 0;
            }
        }
    }
    EXPECT_GT(larger, cases::times(4000) / 4);
}

} // namespace
