// SPDX-License-Identifier: BSD-3-Clause
#include "grid/grid.hpp"

using ortho::base::Error;
using ortho::grid::Grid;
using ortho::grid::Order;

namespace {

std::vector<int> v(std::initializer_list<int> list) { return list; }

TEST(Grid, RowMajorCountsTheLastDimensionFirst)
{
    const Grid grid({2, 3}, {0, 0});
    EXPECT_EQ(grid.points(), 6);
    EXPECT_EQ(grid.rank(v({0, 2})), 2);
    EXPECT_EQ(grid.rank(v({1, 0})), 3);
    EXPECT_EQ(grid.coordinates(5), v({1, 2}));
}

TEST(Grid, ColumnMajorCountsTheFirstDimensionFirst)
{
    const Grid grid({2, 3}, {0, 0}, Order::col_major);
    EXPECT_EQ(grid.rank(v({1, 0})), 1);
    EXPECT_EQ(grid.rank(v({0, 2})), 4);
    EXPECT_EQ(grid.coordinates(4), v({0, 2}));
}

TEST(Grid, RanksAndCoordinatesAreInverse)
{
    cases::Random random(1);
    for (int repeat = 0; repeat < 500; ++repeat) {
        const Grid grid = cases::random_grid(random, 5, 300);
        for (int r = 0; r < grid.points(); ++r) EXPECT_EQ(grid.rank(grid.coordinates(r)), r);
    }
}

TEST(Grid, BordersAndWrapping)
{
    const Grid grid({3, 3}, {0, 1});
    EXPECT_EQ(grid.rank(v({-1, 0})), Grid::nowhere);
    EXPECT_EQ(grid.rank(v({3, 0})), Grid::nowhere);
    EXPECT_EQ(grid.rank(v({0, -1})), 2);
    EXPECT_EQ(grid.rank(v({0, 3})), 0);
    EXPECT_EQ(grid.neighbor(1, v({-1, 0})), Grid::nowhere); // peers' defect O2
    EXPECT_EQ(grid.neighbor(3, v({0, -1})), 5);
    EXPECT_EQ(grid.neighbor_against(0, v({0, 1})), 2);
}

TEST(Grid, PointsMayHaveOtherNumbersAndNone)
{
    const Grid grid = Grid({2, 3}, {0, 1}).with_ranks({2, -1, 0, 3, 1, -1});
    EXPECT_EQ(grid.points(), 4);
    EXPECT_FALSE(grid.is_full() || Grid({1}, {1}).with_ranks({-1}).is_torus());
    EXPECT_EQ(grid.rank(v({0, 1})), Grid::nowhere);
    EXPECT_EQ(grid.rank(v({1, 1})), 1);
    EXPECT_EQ(grid.coordinates(0), v({0, 2}));
    EXPECT_EQ(grid.coordinate(3, 0), 1);
    EXPECT_EQ(grid.neighbor(2, v({0, -1})), 0);
    EXPECT_EQ(grid.neighbor(2, v({0, 1})), Grid::nowhere);
    EXPECT_EQ(grid.neighbor_against(1, v({0, 1})), 3);
    EXPECT_FALSE(grid == Grid({2, 3}, {0, 1}));
    EXPECT_TRUE(Grid({2}, {1}).with_ranks({1, 0}).is_torus());
    for (const auto& wrong : {v({0, 0}), v({2, 0}), v({-2, 0}), v({1, -1})})
        EXPECT_THROW(Grid({2}, {1}).with_ranks(wrong), Error);
}

TEST(Grid, CoordinatesOfAnySize) // peers' defects O4, T10
{
    const Grid grid({7}, {1});
    EXPECT_EQ(grid.rank(v({INT_MAX})), INT_MAX % 7);
    EXPECT_EQ(grid.rank(v({INT_MIN})), static_cast<int>(((INT_MIN % 7LL) + 7) % 7));
    EXPECT_EQ(grid.neighbor(6, v({INT_MAX})), static_cast<int>((6LL + INT_MAX) % 7));
    EXPECT_EQ(grid.neighbor(0, v({INT_MIN})), static_cast<int>(((INT_MIN % 7LL) + 7) % 7));
    EXPECT_EQ(grid.neighbor_against(6, v({INT_MIN})), static_cast<int>((6LL - INT_MIN) % 7));
    const Grid mesh({7}, {0});
    EXPECT_EQ(mesh.neighbor(6, v({INT_MAX})), Grid::nowhere);
    EXPECT_EQ(mesh.neighbor_against(0, v({INT_MIN})), Grid::nowhere);
}

TEST(Grid, RepresentativesLieAroundZero)
{
    const Grid grid({1, 2, 3, 4, 5}, {1, 1, 1, 1, 1});
    EXPECT_EQ(grid.representative(0, 17), 0);
    EXPECT_EQ(grid.representative(1, -1), 1);
    EXPECT_EQ(grid.representative(2, 2), -1);
    EXPECT_EQ(grid.representative(3, -2), 2);
    EXPECT_EQ(grid.representative(4, 3), -2);
    EXPECT_EQ(Grid({4}, {0}).representative(0, -3), -3);
}

TEST(Grid, OffsetLeadsThere)
{
    cases::Random random(2);
    for (int repeat = 0; repeat < 300; ++repeat) {
        const Grid grid = cases::random_grid(random, 4, 60);
        std::vector<int> offset(static_cast<std::size_t>(grid.dimensions()));
        for (int a = 0; a < grid.points(); ++a)
            for (int b = 0; b < grid.points(); ++b) {
                grid.offset(a, b, offset);
                EXPECT_EQ(grid.neighbor(a, offset), b);
                EXPECT_EQ(grid.neighbor_against(b, offset), a);
            }
    }
}

TEST(Grid, RefusesWhatIsNoGrid) // peers' defect O5
{
    EXPECT_THROW(Grid({4, 0}, {0, 0}), Error);
    EXPECT_THROW(Grid({-2, -2}, {0, 0}), Error);
    EXPECT_THROW(Grid({65536, 65536, 1}, {0, 0, 0}), Error);
    EXPECT_NO_THROW(Grid({46340, 46340}, {0, 0}));
}

TEST(Grid, AnyTruthValueIsAPeriod) // peers' defect O7
{
    EXPECT_EQ(Grid({3}, {7}), Grid({3}, {1}));
}

} // namespace
