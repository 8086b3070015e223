// SPDX-License-Identifier: BSD-3-Clause
// Grids, balls of offsets, the nodes of processes, and boxes of bytes.
#include "grid/grid.hpp"

#include "grid/shell.hpp"
#include "grid/strided_box.hpp"

using base::Error;
using namespace ortho::grid;

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

// --- Balls --------------------------------------------------------------------------------------------

std::vector<std::vector<int>> rows(const Shell& shell, int most = INT_MAX)
{
    const auto d = shell.low.size();
    const auto n = std::min<std::int64_t>(count(shell), most);
    std::vector<int> flat(static_cast<std::size_t>(n) * d);
    list(shell, flat);
    std::vector<std::vector<int>> result;
    for (std::size_t i = 0; i < flat.size(); i += d)
        result.emplace_back(flat.begin() + static_cast<std::ptrdiff_t>(i),
                            flat.begin() + static_cast<std::ptrdiff_t>(i + d));
    return result;
}

TEST(Ball, ManhattanIsTheTrueL1Ball) // peers' defect O1
{
    EXPECT_EQ(count(unbounded_shell(Metric::manhattan, 0, 2, 2)), 13);
    EXPECT_EQ(count(unbounded_shell(Metric::manhattan, 0, 3, 2)), 25);
    EXPECT_EQ(count(unbounded_shell(Metric::manhattan, 0, 2, 3)), 25);
    EXPECT_EQ(count(unbounded_shell(Metric::manhattan, 0, 3, 3)), 63);
    EXPECT_EQ(count(unbounded_shell(Metric::manhattan, 3, 3, 3)), 63 - 25);
}

TEST(Ball, ChebyshevIsTheCube)
{
    EXPECT_EQ(count(unbounded_shell(Metric::chebyshev, 0, 1, 2)), 9);
    EXPECT_EQ(count(unbounded_shell(Metric::chebyshev, 1, 1, 3)), 26);
    EXPECT_EQ(count(unbounded_shell(Metric::chebyshev, 0, 50, 3)), 101 * 101 * 101);
}

TEST(Ball, LexicographicOrder)
{
    const std::vector<std::vector<int>> expected{{-1, 0}, {0, -1}, {0, 1}, {1, 0}};
    EXPECT_EQ(rows(unbounded_shell(Metric::manhattan, 1, 1, 2)), expected);
}

TEST(Ball, StopsWhereThereIsNoRoom)
{
    const std::vector<std::vector<int>> expected{{-1, -1}, {-1, 0}};
    EXPECT_EQ(rows(unbounded_shell(Metric::chebyshev, 0, 1, 2), 2), expected);
}

TEST(Ball, AgainstAllPointsOfABox)
{
    cases::Random random(3);
    for (int repeat = 0; repeat < 2000; ++repeat) {
        const int d = cases::uniform(random, 1, 4);
        Shell shell{cases::uniform(random, 0, 1) == 0 ? Metric::manhattan : Metric::chebyshev,
                    cases::uniform(random, 0, 4),
                    cases::uniform(random, 0, 4),
                    {},
                    {}};
        for (int k = 0; k < d; ++k) {
            shell.low.push_back(-cases::uniform(random, 0, 5));
            shell.high.push_back(cases::uniform(random, 0, 5));
        }
        std::vector<std::vector<int>> expected;
        std::vector<int> x = shell.low;
        for (bool more = true; more;) {
            int norm = 0;
            for (const int c : x)
                norm = shell.metric == Metric::manhattan ? norm + std::abs(c) : std::max(norm, std::abs(c));
            if (norm >= shell.shadow && norm <= shell.depth) expected.push_back(x);
            more = false;
            for (std::size_t k = x.size(); k-- > 0 && !more;) {
                more = x[k] < shell.high[k];
                x[k] = more ? x[k] + 1 : shell.low[k];
            }
        }
        ASSERT_EQ(count(shell), std::ssize(expected));
        ASSERT_EQ(rows(shell), expected);
    }
}

TEST(Ball, TooManyIsSaid) // peers' defect O11
{
    EXPECT_EQ(count(unbounded_shell(Metric::chebyshev, 0, 700, 3)), too_many);
    EXPECT_EQ(count(unbounded_shell(Metric::chebyshev, 700, 700, 3)),
              1401LL * 1401 * 1401 - 1399LL * 1399 * 1399);
    EXPECT_EQ(count(unbounded_shell(Metric::manhattan, 0, INT_MAX, 1)), too_many);
    EXPECT_EQ(count(unbounded_shell(Metric::manhattan, 0, INT_MAX, 5)), too_many);
    EXPECT_EQ(count(unbounded_shell(Metric::chebyshev, 0, INT_MAX, 40)), too_many);
    EXPECT_EQ(count(unbounded_shell(Metric::manhattan, 0, (INT_MAX - 1) / 2, 1)), INT_MAX);
    EXPECT_EQ(count(unbounded_shell(Metric::manhattan, 32767, 32767, 2)), 4 * 32767);
    EXPECT_EQ(count(unbounded_shell(Metric::manhattan, 2, 1, 3)), 0);
}

TEST(Ball, BordersMakeDeepBallsSmall)
{
    const Shell shell{Metric::manhattan, 0, INT_MAX, {-1, 0, -2}, {1, 3, 0}};
    EXPECT_EQ(count(shell), 3 * 4 * 3);
    EXPECT_EQ(rows(shell).size(), 36U);
}

// --- Nodes --------------------------------------------------------------------------------------------

std::vector<int> list(std::span<const int> numbers) { return {numbers.begin(), numbers.end()}; }

TEST(Nodes, AreNumberedByTheirFirstProcesses)
{
    const Nodes nodes(std::vector{7, -3, 7, 0, -3});
    EXPECT_EQ(nodes.processes(), 5);
    EXPECT_EQ(nodes.count(), 3);
    EXPECT_EQ(list(nodes.of_all()), (std::vector{0, 1, 0, 2, 1}));
    EXPECT_EQ(list(nodes.sizes()), (std::vector{2, 2, 1}));
    EXPECT_EQ(nodes.of(4), 1);
    EXPECT_EQ(nodes.size(2), 1);
}

TEST(Nodes, ConsecutiveOnesRepeatTheLastSize)
{
    EXPECT_EQ(list(Nodes::consecutive(11, std::vector{4, 3}).sizes()), (std::vector{4, 3, 3, 1}));
    EXPECT_EQ(list(Nodes::consecutive(11, std::vector{4, 3}).of_all()),
              (std::vector{0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 3}));
    EXPECT_EQ(list(Nodes::consecutive(3, std::vector{16}).sizes()), std::vector{3});
    EXPECT_EQ(Nodes::consecutive(0, std::vector{4}).count(), 0);
    EXPECT_EQ(Nodes::consecutive(8, std::vector{4}), Nodes(std::vector{1, 1, 1, 1, 0, 0, 0, 0}));
}

TEST(Nodes, OfRenumberedProcesses)
{
    const Nodes nodes = Nodes::consecutive(6, std::vector{2});
    const Nodes some = nodes.renumbered(std::vector{5, 0, 4, 3});
    EXPECT_EQ(list(some.of_all()), (std::vector{0, 1, 0, 2}));
    EXPECT_EQ(list(some.sizes()), (std::vector{2, 1, 1}));
}

TEST(Nodes, SizesAreRead)
{
    EXPECT_EQ(parse_node_sizes("16"), std::vector{16});
    EXPECT_EQ(parse_node_sizes(" 4, 4 ,\t3\n"), (std::vector{4, 4, 3}));
    for (const char* const text :
         {"", " ", "0", "-4", "4,", ",4", "4,,3", "4 3", "4x3", "four", "4.0", "99999999999"})
        EXPECT_FALSE(parse_node_sizes(text).has_value()) << text;
}

// --- Boxes of bytes -----------------------------------------------------------------------------------

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

} // namespace
