// SPDX-License-Identifier: BSD-3-Clause
// Exchanges by node pairs: their messages between nodes, and their cost.  algorithm_list_test looks at blocks.

#include "algorithm/node_pairs.hpp"
#include "planner/sampled_schedules.hpp"

using namespace ortho::schedule;

namespace {

algorithm::PlannerContext context_of(const grid::Neighborhood& neighborhood, const grid::Nodes& nodes)
{
    algorithm::PlannerContext result;
    result.neighborhood = neighborhood;
    result.layout.nodes = std::make_shared<const grid::Nodes>(nodes);
    return result;
}

const algorithm::Algorithm& which(bool personal)
{
    return personal ? algorithm::alltoall_node_pairs : algorithm::allgather_node_pairs;
}

Schedule build(const algorithm::PlannerContext& context, int rank, bool personal = true)
{
    return which(personal).build(context, {rank, {}, {}}, {}, {});
}

std::vector<Schedule> all(const algorithm::PlannerContext& context, bool personal)
{
    std::vector<Schedule> result;
    for (int r = 0; r < context.neighborhood->grid.points(); ++r)
        result.push_back(build(context, r, personal));
    return result;
}

/// Checks the messages between nodes: one for each pair of nodes, and their content.
void check_between_nodes(const grid::Neighborhood& n, const grid::Nodes& nodes,
                         const std::vector<Schedule>& schedules, bool personal)
{
    const World world = world_of(n.grid);
    std::map<std::pair<int, int>, std::set<std::pair<int, int>>> wanted; // blocks by pair of nodes
    for (int r = 0; r < n.grid.points(); ++r)
        for (int i = 0; i < n.size(); ++i) {
            const int target = n.grid.neighbor(r, n.offsets[i]);
            if (target != grid::Grid::nowhere && nodes.of(target) != nodes.of(r))
                wanted[{nodes.of(r), nodes.of(target)}].emplace(r, personal ? i : 0);
        }
    std::map<std::pair<int, int>, int> messages;
    for (int r = 0; r < n.grid.points(); ++r) {
        const Schedule& schedule = schedules[at(r)];
        EXPECT_LE(schedule.phases.size(), 3U);
        for (const Round& round : schedule.rounds) {
            if (round.to == nobody) continue;
            const int target = world.target(r, schedule, round);
            const std::pair pair(nodes.of(r), nodes.of(target));
            if (pair.first == pair.second) continue;
            ++messages[pair];
            ASSERT_EQ(static_cast<std::size_t>(round.sends.size()), wanted[pair].size());
        }
    }
    ASSERT_EQ(messages.size(), wanted.size());
    for (const auto& [pair, number] : messages) ASSERT_EQ(number, 1);
}

TEST(NodePairs, RandomGridsStencilsAndNodes)
{
    cases::Random random(71);
    for (int repeat = 0; repeat < cases::times(4000); ++repeat) {
        const auto n = cases::random_neighborhood(random, 4, 48, 10, 3);
        const grid::Nodes nodes = cases::random_nodes(random, n.grid.points());
        for (const bool personal : {true, false})
            check_between_nodes(n, nodes, all(context_of(n, nodes), personal), personal);
    }
}

TEST(NodePairs, RegionsOfHalosCrossOnce)
{
    cases::Random random(73);
    for (int repeat = 0; repeat < cases::times(1000); ++repeat) {
        const grid::Grid grid = cases::random_grid(random, 3, 48);
        const grid::Halo halo = cases::random_halo(random, grid);
        algorithm::PlannerContext context;
        context.layout.nodes = std::make_shared<const grid::Nodes>(
            cases::random_nodes(random, grid.points()));
        std::vector<Schedule> schedules;
        for (int r = 0; r < grid.points(); ++r)
            schedules.push_back(cases::build(algorithm::halo_node_pairs, halo, r, context));
        check_between_nodes({grid, halo.steps()}, *context.layout.nodes, schedules, true);
    }
}

TEST(NodePairs, MooreOnRowsOfATorus)
{
    // 4x4, each row a node: a node has two partners, and sends each of them 12 blocks; on the node 2
    // neighbors.
    const grid::Grid torus({4, 4}, {1, 1});
    const auto n = grid::canonical(torus, cases::all_of(2, -1, 1)).neighborhood;
    const grid::Nodes nodes = grid::Nodes::consecutive(16, std::vector<int>{4});
    // The agent of node 1 for node 0 sends their blocks to three processes of its node, and to process 5 also
    // the blocks for node 2.
    const Schedule schedule = build(context_of(n, nodes), 4);
    EXPECT_EQ(schedule.phases.size(), 3U);
    const Cost c = cost(schedule);
    EXPECT_EQ(c.messages, 2 + 1 + 3);
    EXPECT_EQ(c.blocks, (2 + 3) + 12 + 9);
    EXPECT_EQ(c.copies, 1);
}

TEST(NodePairs, WhatThePlannerCountsIsWhatTheBusiestDo)
{
    cases::Random random(72);
    for (int repeat = 0; repeat < cases::times(400); ++repeat) {
        const auto n = cases::random_neighborhood(random, 3, 40, 8, 2);
        const grid::Grid& grid = n.grid;
        const algorithm::PlannerContext context = context_of(n, cases::random_nodes(random, grid.points()));
        const grid::Nodes& nodes = *context.layout.nodes;
        const World world = world_of(grid);
        for (const bool personal : {true, false}) {
            constexpr std::int64_t one[] = {1};
            std::vector<PhaseCounts> counted =
                planner::SampledSchedules(which(personal), context, {}, {}).phases(one);
            ASSERT_LE(counted.size(), 3U);
            counted.resize(3);
            std::int64_t most_off_messages = 0;
            std::map<int, std::int64_t> node_blocks;
            const std::vector<Schedule> schedules = all(context, personal);
            for (int r = 0; r < grid.points(); ++r) {
                const Schedule& schedule = schedules[at(r)];
                std::int64_t off = 0, off_in = 0;
                const Cost c = cost(schedule);
                for (const Round& round : schedule.rounds) {
                    if (round.from != nobody && nodes.of(world.source(r, schedule, round)) != nodes.of(r))
                        ++off_in;
                    if (round.to == nobody || nodes.of(world.target(r, schedule, round)) == nodes.of(r))
                        continue;
                    ++off;
                    node_blocks[nodes.of(r)] += round.sends.size();
                }
                most_off_messages = std::max(most_off_messages, off);
                // A message within a node counts half at each of its ends.
                ASSERT_LE((c.messages - off + c.messages_in - off_in + 1) / 2,
                          counted[0].messages + counted[2].messages);
                ASSERT_LE(c.blocks, counted[0].blocks + counted[1].blocks + counted[2].blocks);
                ASSERT_LE(c.blocks_in, counted[0].blocks + counted[1].blocks + counted[2].blocks);
            }
            std::int64_t most_node_blocks = 0;
            for (const auto& [node, blocks] : node_blocks)
                most_node_blocks = std::max(most_node_blocks, blocks);
            ASSERT_EQ(counted[1].off.node_blocks, most_node_blocks);
            ASSERT_GE(counted[1].off.messages, most_off_messages);
            ASSERT_EQ(counted[0].off, OffNode{});
            ASSERT_EQ(counted[2].off, OffNode{});
        }
    }
}

TEST(NodePairs, LargeNodesAndManyProcesses)
{
    // A million processes on nodes of 128: one process looks at its own node and few others.
    const grid::Grid torus({100, 100, 100}, {1, 1, 1});
    const auto n = grid::canonical(torus, cases::all_of(3, -1, 1)).neighborhood;
    const grid::Nodes nodes = grid::Nodes::consecutive(1'000'000, std::vector<int>{128});
    EXPECT_LT(algorithm::NodePairs::most_edges(n, nodes), 1 << 20);
    // The first process of a node is an agent, the last one is not.
    const algorithm::PlannerContext context = context_of(n, nodes);
    EXPECT_EQ(build(context, 128 * 4000).phases.size(), 3U);
    EXPECT_EQ(build(context, 128 * 4000 + 127).phases.size(), 2U);
    constexpr std::int64_t one[] = {1};
    const planner::SampledSchedules sampled(algorithm::alltoall_node_pairs, context, {}, {});
    EXPECT_GE(sampled.phases(one)[1].off.messages, 1);
}

} // namespace
