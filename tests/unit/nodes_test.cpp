// SPDX-License-Identifier: BSD-3-Clause

using ortho::grid::Nodes;
using ortho::grid::parse_node_sizes;

namespace {

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

} // namespace
