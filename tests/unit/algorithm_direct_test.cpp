// SPDX-License-Identifier: BSD-3-Clause
// The algorithms for any graph, each on thousands of random multigraphs.

#include "algorithm/edge_coloring.hpp"

using namespace ortho;
using namespace ortho::schedule;

namespace {

constexpr int repeats = 3000;

cases::Multigraph random_graph(cases::Random& random, int most_edges)
{
    return cases::random_graph(random, cases::uniform(random, 1, 7), most_edges);
}

template <class Build>
std::vector<Schedule> all(const cases::Multigraph& graph, Build build)
{
    std::vector<Schedule> result;
    for (const auto& process : graph.processes) result.push_back(build(process));
    return result;
}

std::vector<Schedule> all(const cases::Multigraph& graph, const algorithm::Algorithm& algorithm)
{
    return all(graph, [&](const auto& process) { return cases::build(algorithm, process); });
}

std::string run(const cases::Multigraph& graph, const std::vector<Schedule>& schedules, const Goal& goal)
{
    return verify(world_of(graph.processes), schedules, goal).value_or("");
}

/// A goal with no slots to receive: `slots` empty ones at each process.
Goal empty_goal(const cases::Multigraph& graph, std::size_t slots)
{
    Goal goal;
    goal.receive.assign(graph.processes.size(), std::vector<std::optional<Value>>(slots));
    return goal;
}

/// Schedules of the algorithm, with these arguments, reach the goal that is made for a graph and a root.
template <class MakeGoal>
void reaches(unsigned seed, const algorithm::Algorithm& algorithm, bool in_place, MakeGoal make_goal)
{
    cases::Random random(seed);
    for (int i = 0; i < repeats; ++i) {
        const auto graph = random_graph(random, 30);
        const int root = cases::uniform(random, 0, static_cast<int>(graph.processes.size()) - 1);
        const auto schedules = all(graph, [&](const auto& g) {
            return cases::build(algorithm, g, {.root = root, .in_place = in_place});
        });
        ASSERT_EQ(run(graph, schedules, make_goal(graph, root)), "");
    }
}

int distinct_others(const std::vector<int>& list, int self)
{
    std::set<int> distinct(list.begin(), list.end());
    distinct.erase(self);
    distinct.erase(grid::gap);
    return static_cast<int>(distinct.size());
}

TEST(Direct, Alltoall)
{
    cases::Random random(11);
    for (int i = 0; i < repeats; ++i) {
        const auto graph = random_graph(random, 40);
        const auto schedules = all(graph, algorithm::alltoall_direct);
        ASSERT_EQ(run(graph, schedules, cases::delivery(graph, true)), "");
        for (const auto& process : graph.processes)
            ASSERT_EQ(cost(schedules[at(process.rank)]).messages,
                      distinct_others(process.targets, process.rank));
    }
}

TEST(Direct, AlltoallInRounds)
{
    cases::Random random(17);
    for (int i = 0; i < repeats; ++i) {
        const auto graph = random_graph(random, 40);
        std::vector<algorithm::WeightedEdge> edges;
        std::set<std::pair<int, int>> seen;
        for (const auto& process : graph.processes)
            for (const int target : process.targets)
                if (target != grid::gap && target != process.rank &&
                    seen.insert({process.rank, target}).second)
                    edges.push_back({process.rank, target, cases::uniform(random, 0, 5)});
        std::ranges::shuffle(edges, random);
        const int p = static_cast<int>(graph.processes.size());
        const std::vector<int> rounds = algorithm::color_edges(edges, p);

        // No two messages of a round meet, and no heavy one is behind a lighter one that it could change
        // places with.
        std::set<std::pair<int, int>> sends, receives;
        std::map<std::pair<int, int>, int> round_of;
        int most = 0;
        for (std::size_t e = 0; e < edges.size(); ++e) {
            ASSERT_TRUE(sends.insert({edges[e].from, rounds[e]}).second);
            ASSERT_TRUE(receives.insert({edges[e].to, rounds[e]}).second);
            round_of[{edges[e].from, edges[e].to}] = rounds[e];
            most = std::max(most, rounds[e] + 1);
        }
        int degree = 0;
        for (int process = 0; process < p; ++process) {
            degree = std::max(
                degree, static_cast<int>(std::ranges::count(edges, process, &algorithm::WeightedEdge::from)));
            degree = std::max(
                degree, static_cast<int>(std::ranges::count(edges, process, &algorithm::WeightedEdge::to)));
        }
        ASSERT_LE(most, std::max(0, 2 * degree - 1));
        // With messages of one weight there are no more rounds than a process has messages.
        std::vector<algorithm::WeightedEdge> equal = edges;
        for (auto& edge : equal) edge.weight = 1;
        int last = -1;
        for (const int round : algorithm::color_edges(equal, p)) last = std::max(last, round);
        ASSERT_EQ(last + 1, degree);
        if (!edges.empty()) {
            const auto heaviest = std::ranges::max_element(edges, {}, &algorithm::WeightedEdge::weight);
            std::int64_t in_first = 0;
            for (std::size_t e = 0; e < edges.size(); ++e)
                if (rounds[e] == 0) in_first = std::max(in_first, edges[e].weight);
            ASSERT_EQ(in_first, heaviest->weight);
        }

        const auto schedules = all(graph, [&](const grid::LocalGraph& g) {
            std::vector<int> mine;
            for (const int target : g.targets) mine.push_back(round_of[{g.rank, target}]);
            for (const int source : g.sources) mine.push_back(round_of[{source, g.rank}]);
            const std::vector<algorithm::Agreed> agreed = {{"alltoall_ordered", mine}};
            return cases::build(algorithm::alltoall_ordered, g, {.agreed = agreed});
        });
        ASSERT_EQ(run(graph, schedules, cases::delivery(graph, true)), "");
    }
}

TEST(Direct, RoundsDoNotDependOnTheListsOrder)
{
    std::vector<algorithm::WeightedEdge> edges;
    for (int from = 0; from < 9; ++from)
        for (int to = 0; to < 9; ++to)
            if (from != to) edges.push_back({from, to, (from * to) % 4});
    const auto rounds = algorithm::color_edges(edges, 9);
    std::vector<algorithm::WeightedEdge> backwards(edges.rbegin(), edges.rend());
    auto again = algorithm::color_edges(backwards, 9);
    std::ranges::reverse(again);
    EXPECT_EQ(rounds, again);
}

TEST(Direct, OffsetsAreRoundsWhereTheirMessagesAreAlike)
{
    // A torus of 3 x 5: offset 1 is heavy, offset 0 is light.
    std::vector<algorithm::WeightedEdge> edges;
    std::vector<int> offsets, wanted;
    const auto weight = [](int offset) { return offset == 1 ? std::int64_t{100} : std::int64_t{3}; };
    for (int row = 0; row < 3; ++row)
        for (int column = 0; column < 5; ++column)
            for (int offset = 0; offset < 2; ++offset) {
                const int to = offset == 0 ? (row + 1) % 3 * 5 + column : row * 5 + (column + 1) % 5;
                edges.push_back({row * 5 + column, to, weight(offset) + (row == 0 && offset == 1 ? 60 : 0)});
                offsets.push_back(offset);
                wanted.push_back(1 - offset);
            }
    EXPECT_EQ(algorithm::rounds_by_offset(edges, offsets), wanted);
    std::vector<algorithm::WeightedEdge> unlike = edges;
    unlike[1].weight = 200; // another one along its offset has 100
    EXPECT_TRUE(algorithm::rounds_by_offset(unlike, offsets).empty());
    std::vector<int> more = offsets; // three, where nobody sends three messages
    more[0] = 2;
    EXPECT_TRUE(algorithm::rounds_by_offset(edges, more).empty());
    std::vector<int> none = offsets;
    none.back() = -1;
    EXPECT_TRUE(algorithm::rounds_by_offset(edges, none).empty());
}

TEST(Direct, Allgather)
{
    cases::Random random(12);
    for (int i = 0; i < repeats; ++i) {
        const auto graph = random_graph(random, 40);
        const auto schedules = all(graph, algorithm::allgather_direct);
        ASSERT_EQ(run(graph, schedules, cases::delivery(graph, false)), "");
        for (const auto& process : graph.processes)
            ASSERT_EQ(cost(schedules[at(process.rank)]).blocks,
                      distinct_others(process.targets, process.rank));
    }
}

TEST(Direct, Barrier)
{
    cases::Random random(13);
    for (int i = 0; i < repeats; ++i) {
        const auto graph = random_graph(random, 40);
        const auto schedules = all(graph, algorithm::barrier_direct);
        ASSERT_EQ(run(graph, schedules, empty_goal(graph, 0)), "");
        for (const auto& process : graph.processes) {
            ASSERT_EQ(cost(schedules[at(process.rank)]).messages_in,
                      distinct_others(process.sources, process.rank));
            ASSERT_LE(cost(schedules[at(process.rank)]).phases, 1);
        }
    }
}

TEST(Direct, Bcast)
{
    reaches(14, algorithm::bcast_direct, false, [](const auto& graph, int root) {
        Goal goal = empty_goal(graph, 1);
        for (const auto& pair : graph.pairs)
            if (pair.from == root && pair.to != root) goal.receive[at(pair.to)][0] = Value{{root, 0}};
        return goal;
    });
}

TEST(Direct, Gather)
{
    reaches(15, algorithm::gather_direct, false, [](const auto& graph, int root) {
        Goal goal = cases::delivery(graph, false);
        for (const auto& process : graph.processes)
            if (process.rank != root) goal.receive[at(process.rank)].assign(process.sources.size(), {});
        return goal;
    });
}

TEST(Direct, ScatterKeepsTheLastBlock)
{
    reaches(16, algorithm::scatter_direct, false, [](const auto& graph, int root) {
        Goal goal = empty_goal(graph, 1);
        const auto& targets = graph.processes[at(root)].targets;
        for (int edge = 0; edge < static_cast<int>(targets.size()); ++edge)
            if (targets[at(edge)] != grid::gap) goal.receive[at(targets[at(edge)])][0] = Value{{root, edge}};
        return goal;
    });
}

/// Contributions in in-edge order; personal: the block of the out-edge.
Goal reduction(const cases::Multigraph& graph, bool personal)
{
    const Goal blocks = cases::delivery(graph, personal);
    Goal goal = empty_goal(graph, 1);
    for (const auto& process : graph.processes)
        for (const auto& block : blocks.receive[at(process.rank)]) {
            if (!block) continue;
            auto& result = goal.receive[at(process.rank)][0];
            if (!result) result.emplace();
            result->insert(result->end(), block->begin(), block->end());
        }
    return goal;
}

TEST(Direct, AllreduceInInEdgeOrder) // peers' defect O14
{
    for (const bool in_place : {false, true})
        reaches(17, algorithm::allreduce_direct, in_place, [&](const auto& graph, int) {
            Goal goal = reduction(graph, false);
            if (in_place) goal.present = {0};
            return goal;
        });
}

TEST(Direct, Reduce)
{
    for (const bool in_place : {false, true}) // at the root, which alone writes
        reaches(in_place ? 19 : 18, algorithm::reduce_direct, in_place, [&](const auto& graph, int root) {
            Goal goal = reduction(graph, false);
            if (in_place) goal.present = {0};
            for (const auto& process : graph.processes)
                if (process.rank != root) goal.receive[at(process.rank)][0].reset();
            return goal;
        });
}

TEST(Direct, ReduceScatter)
{
    cases::Random random(20);
    for (int i = 0; i < repeats; ++i) {
        const auto graph = random_graph(random, 30);
        ASSERT_EQ(run(graph, all(graph, algorithm::reduce_scatter_direct), reduction(graph, true)), "");
    }
}

} // namespace
