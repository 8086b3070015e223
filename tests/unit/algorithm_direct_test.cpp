// SPDX-License-Identifier: BSD-3-Clause
// The algorithms for any graph: how many messages and blocks they take, and rounds of messages.
// algorithm_list_test looks at what arrives.

#include "algorithm/agreed_rounds.hpp"

using namespace ortho::schedule;

namespace {

constexpr int repeats = 3000;

cases::Multigraph random_graph(cases::Random& random, int most_edges)
{
    return cases::random_graph(random, cases::uniform(random, 1, 7), most_edges);
}

int distinct_others(const std::vector<int>& list, int self)
{
    std::set<int> distinct(list.begin(), list.end());
    distinct.erase(self);
    distinct.erase(grid::gap);
    return static_cast<int>(distinct.size());
}

TEST(Direct, OneMessageForEachPartner)
{
    cases::Random random(11);
    for (int i = 0; i < repeats; ++i)
        for (const auto& process : random_graph(random, 40).processes) {
            const int targets = distinct_others(process.targets, process.rank);
            ASSERT_EQ(cost(cases::build(algorithm::alltoall_direct, process)).messages, targets);
            ASSERT_EQ(cost(cases::build(algorithm::allgather_direct, process)).blocks, targets);
            const Cost barrier = cost(cases::build(algorithm::barrier_direct, process));
            ASSERT_EQ(barrier.messages_in, distinct_others(process.sources, process.rank));
            ASSERT_LE(barrier.phases, 1);
        }
}

TEST(Direct, RoundsOfMessages)
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
        std::map<int, int> sent, received;
        int most = 0, degree = 0;
        std::int64_t heaviest = 0, heaviest_in_first = 0;
        for (std::size_t e = 0; e < edges.size(); ++e) {
            const auto& [from, to, weight] = edges[e];
            ASSERT_TRUE(sends.insert({from, rounds[e]}).second);
            ASSERT_TRUE(receives.insert({to, rounds[e]}).second);
            most = std::max(most, rounds[e] + 1);
            degree = std::max({degree, ++sent[from], ++received[to]});
            heaviest = std::max(heaviest, weight);
            if (rounds[e] == 0) heaviest_in_first = std::max(heaviest_in_first, weight);
        }
        ASSERT_EQ(heaviest_in_first, heaviest);
        ASSERT_LE(most, std::max(0, 2 * degree - 1));
        // With messages of one weight there are no more rounds than a process has messages.
        std::vector<algorithm::WeightedEdge> equal = edges;
        for (auto& edge : equal) edge.weight = 1;
        int last = -1;
        for (const int round : algorithm::color_edges(equal, p)) last = std::max(last, round);
        ASSERT_EQ(last + 1, degree);
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

} // namespace
