// SPDX-License-Identifier: BSD-3-Clause
// Prices of messages on nodes, on networks of any kind, and with a tune file.

#include "planner/tune.hpp"
#include "planner_cases.hpp"
#include "schedule/off_node.hpp"

namespace {

TEST(OffNode, OfTheBusiestProcessAndOfItsNode)
{
    // A row of 6 processes on nodes of 3: the outer two of each node have a neighbor on another node.
    const grid::Stencil both(1, {-1, 1});
    const std::vector<std::int64_t> blocks{2, 5};
    const auto nodes = consecutive(6, {3});
    EXPECT_EQ(off_node(grid::Grid({6}, {1}), *nodes, both, blocks), (OffNode{1, 5, 7}));
    // On a mesh only two processes have such a neighbor: 7 blocks of two nodes, 3.5 of one.
    EXPECT_EQ(off_node(grid::Grid({6}, {0}), *nodes, both, blocks), (OffNode{1, 5, 4}));
    // With processes dealt out in turns, every neighbor is on another node.
    const grid::Nodes turns(std::vector<int>{0, 1, 0, 1, 0, 1});
    EXPECT_EQ(off_node(grid::Grid({6}, {1}), turns, both, blocks), (OffNode{2, 7, 21}));
    EXPECT_EQ(percent_off_node({grid::Grid({6}, {1}), both}, *nodes), 33);
    EXPECT_EQ(percent_off_node({grid::Grid({6}, {1}), both}, turns), 100);
    // A sample of many processes: one message of a third of all processes leaves, whichever are in the
    // sample.
    const grid::Grid ring({3'000'000}, {1});
    const OffNode many = off_node(ring, *consecutive(3'000'000, {3}), both, blocks, 3000);
    EXPECT_EQ(many.messages, 1);
    EXPECT_EQ(many.blocks, 5);
    EXPECT_NEAR(static_cast<double>(many.node_blocks), 7, 1);
}

TEST(OffNode, EachCrossingOnNodesOfRows)
{
    // 4x4, each row a node: steps in dimension 0 leave, those in dimension 1 do not.
    const grid::Grid grid({4, 4}, {1, 1});
    const auto nodes = consecutive(16, {4});
    const std::optional<grid::Neighborhood> n = moore(grid).neighborhood;
    const auto along = [&](Collective collective) {
        return algorithm::DimensionGroups(*n, collective, nodes).along({{0}, {1}});
    };
    using Phases = std::vector<schedule::PhaseCounts>;
    EXPECT_EQ(along(Collective::alltoall), (Phases{{2, 6, 6, 0, {2, 6, 24}}, {2, 6, 6, 0, {}}}));
    // The tree: two blocks up and down, then three along each row.
    EXPECT_EQ(along(Collective::allgather), (Phases{{2, 2, 2, 0, {2, 2, 8}}, {2, 6, 6, 0, {}}}));
    // Schedules give the same numbers.
    PlannerContext context = moore(grid);
    context.layout = {.one_node = false, .nodes = nodes};
    constexpr std::int64_t one[] = {1};
    const auto read = [&](const Algorithm& algorithm, const algorithm::Groups& groups) {
        return SampledSchedules(algorithm, context, {}, groups).phases(one);
    };
    EXPECT_EQ(read(algorithm::alltoall_combining, {{0}, {1}}), along(Collective::alltoall));
    EXPECT_EQ(read(algorithm::allgather_combining, {{0}, {1}}), along(Collective::allgather));
    EXPECT_EQ(read(algorithm::alltoall_direct, {}), (Phases{{8, 8, 8, 0, {6, 6, 24}}}));
    EXPECT_EQ(read(algorithm::allgather_direct, {}), (Phases{{8, 8, 8, 0, {6, 6, 24}}}));
}

TEST(NetworkKind, IsToldByTheOrderOfMagnitude)
{
    EXPECT_EQ(network_kind_of(0, 0), 0);
    EXPECT_EQ(network_kind_of(7'999'999, 1'000'000), 0);
    EXPECT_EQ(network_kind_of(8'000'000, 0), 1);
    EXPECT_EQ(network_kind_of(900'000'000, 2'499), 1);
    EXPECT_EQ(network_kind_of(8'000'000, 2'500), 2);
    EXPECT_EQ(network_kind_of(8'000'000, -1), 1); // the byte was disturbed, and the long message was not
    EXPECT_EQ(network_kinds().size(), 3U);

    Machine machine{.node = {1, 2, 3, 4, 4}, .network = {5, 6, 7, 8, 8}, .injection_byte_ps = 9};
    EXPECT_EQ(with_network(machine, 0), machine);
    const Machine over_sockets = with_network(machine, 1);
    machine.network = network_kinds()[1].link;
    machine.injection_byte_ps = network_kinds()[1].injection_byte_ps;
    EXPECT_EQ(over_sockets, machine);
    // Each kind is slower than the one before.
    for (std::size_t i = 1; i < network_kinds().size(); ++i)
        for (const std::int64_t bytes : {0, 65536})
            EXPECT_GT(message_ps(network_kinds()[i].link, bytes),
                      message_ps(network_kinds()[i - 1].link, bytes));
}

TEST(Predict, TurnsOnACoreAreThoseOfTheLinkThatIsWaitedFor)
{
    Machine machine;
    machine.node.switch_ps = 70;
    machine.shared.switch_ps = 5;
    machine.network.switch_ps = 900;
    const int sizes[] = {2};
    Layout layout{.processes_a_core = 2,
                  .nodes = std::make_shared<const grid::Nodes>(grid::Nodes::consecutive(4, sizes))};
    const Work work{.phases = 3, .off_phases = 1};
    const std::int64_t far = machine.network.latency_ps;
    EXPECT_EQ(predict(machine, layout, work), far + 2 * 900 + 2 * (machine.node.latency_ps + 2 * 70));
    EXPECT_EQ(predict(with_shared_memory(machine, schedule::Large::shared, layout), layout, work),
              far + 2 * 900 + 2 * (machine.shared.latency_ps + 2 * 5));
    layout.processes_a_core = 1; // nobody waits for a core
    const auto alone = [](const Link& link) { return link.send_ps + link.latency_ps + link.receive_ps; };
    EXPECT_EQ(predict(machine, layout, work), alone(machine.network) + 2 * alone(machine.node));
}

TEST(Predict, LargeMessagesTakeMoreTurnsWhereProcessesShareCores)
{
    using schedule::Large;
    Machine machine;
    machine.node.switch_ps = 70;
    machine.single.switch_ps = 5;
    const auto latency_of = [&](Large large, int processes_a_core) {
        const Layout layout{.processes_a_core = processes_a_core};
        return with_shared_memory(machine, large, layout).node_large.value().latency_ps;
    };
    EXPECT_EQ(latency_of(Large::single, 1), machine.single.latency_ps);
    EXPECT_EQ(latency_of(Large::single, 3), machine.single.latency_ps + 5);
    EXPECT_EQ(latency_of(Large::mpi, 1), machine.node.latency_ps);
    EXPECT_EQ(latency_of(Large::mpi, 3), machine.node.latency_ps + 2 * 70);
    EXPECT_FALSE(with_shared_memory(machine, Large::shared, {.processes_a_core = 3}).node_large);
}

TEST(Predict, ShortMessagesMeetNobody)
{
    Machine machine{.network = {1000, 1, 1, 2, 0, 0}, .injection_byte_ps = 0, .block_ps = 0};
    const Layout layout;
    const auto lost = [&](std::int64_t bytes_each) {
        const Work work{.phases = 1, .messages = 4, .bytes = 4 * bytes_each};
        machine.more_byte_ps = 0;
        const std::int64_t alone = predict(machine, layout, work);
        machine.more_byte_ps = 5;
        return predict(machine, layout, work) - alone;
    };
    EXPECT_EQ(lost(500), 0); // 1000 ps on the way, as long as until the next one leaves
    EXPECT_EQ(lost(501), 4 * 501 * (5 - 2));
}

TEST(Predict, NothingHidesWhereProcessesShareCores)
{
    const Machine machine{.node = {1, 2, 1000, 3, 1, 0}, .block_ps = 0};
    Layout layout{.one_node = true};
    const Work work{.phases = 1, .messages = 5, .bytes = 70};
    EXPECT_EQ(predict(machine, layout, work), 1 + 1000 + 70 * 3 + 2 + 4 * 1);
    layout.processes_a_core = 3;
    EXPECT_EQ(predict(machine, layout, work), 1000 + 3 * (5 * (1 + 2) + 70 * 3));
}

TEST(Tune, AMachineSurvivesItsText)
{
    Machine machine;
    machine.network.latency_ps = 123'456'789;
    machine.node.switch_ps = machine.network.switch_ps = 0;
    machine.injection_byte_ps = 7;
    EXPECT_EQ(parse_tune(to_text(machine), "x").machine, machine);
    EXPECT_EQ(parse_tune("# nothing but words\n\n  \n", "x"), Tune{});
    EXPECT_EQ(parse_tune("block_ps 17\n", "x").machine.block_ps, 17);
    // If a file has a number for bytes and none for copying, the cores move all bytes of that link.
    EXPECT_EQ(parse_tune("shared.byte_ps 900\n", "x").machine.shared.copy_ps, 900);
    EXPECT_EQ(parse_tune("shared.byte_ps 900\n", "x").machine.network, Machine{}.network);
    EXPECT_EQ(parse_tune("shared.copy_ps 3\nshared.byte_ps 900\n", "x").machine.shared.copy_ps, 3);
}

TEST(Tune, SaysWhetherItTellsOfTheNetwork)
{
    EXPECT_TRUE(parse_tune("network.byte_ps 100\n", "file").tells_of_network);
    EXPECT_TRUE(parse_tune("injection_byte_ps 100\n", "file").tells_of_network);
    EXPECT_FALSE(parse_tune("node.byte_ps 100\n", "file").tells_of_network);
    EXPECT_FALSE(parse_tune("", "file").tells_of_network);
}

TEST(Tune, MistakesAreNamed)
{
    for (const char* wrong : {"block_ps", "block_ps -1", "block_ps 1.5", "block_ps 1 2", "blocks_ps 1",
                              "block_ps 99999999999999999999", "block_ps ten", "choose x"}) {
        const std::string mistake = mistake_in(
            [&] { parse_tune(std::string("node.send_ps 1\n") + wrong, "a file"); }, base::ErrorKind::info);
        EXPECT_NE(mistake.find("line 2 of a file"), std::string::npos) << mistake;
    }
}

} // namespace
