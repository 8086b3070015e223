// SPDX-License-Identifier: BSD-3-Clause
#include "grid/shell.hpp"

using namespace ortho::grid;

namespace {

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

} // namespace
