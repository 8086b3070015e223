// SPDX-License-Identifier: BSD-3-Clause
// Wires between nodes: on random graphs and nodes each message arrives, one message goes from node to node,
// and no byte crosses twice.
#include "algorithm/wires.hpp"

#include "base/numbers.hpp"

using namespace ortho::algorithm;
using cases::Random;
using cases::uniform;

namespace {

using Rows = std::vector<WireRow>;
using Bytes = std::vector<int>; // a number for each byte

/// Messages by source and target; their rows are in the memory of the source.
struct Traffic {
    grid::Nodes nodes;
    std::map<std::pair<int, int>, Rows> messages;
};

/// The bytes of these rows: no other process has such, and no other address.
Bytes bytes_of(int rank, const Rows& rows)
{
    Bytes result;
    for (const WireRow& row : rows)
        for (std::int64_t i = 0; i < row.bytes; ++i)
            result.push_back(rank * 1'000'000 + static_cast<int>(row.begin + i));
    return result;
}

Traffic random_traffic(Random& random)
{
    const int p = uniform(random, 1, 24);
    std::vector<int> labels(at(p));
    const int most = uniform(random, 0, 5);
    for (int& label : labels) label = uniform(random, 0, most);
    Traffic result{grid::Nodes(labels), {}};
    const int longest = uniform(random, 0, 49) == 0 ? 30000 : 20;
    for (int edges = uniform(random, 0, 3 * p); edges > 0; --edges) {
        const int from = uniform(random, 0, p - 1), to = uniform(random, 0, p - 1);
        if (result.nodes.of(from) == result.nodes.of(to)) continue;
        Rows& rows = result.messages[{from, to}];
        rows.clear();
        for (int n = uniform(random, 0, 5); n > 0; --n)
            rows.push_back({uniform(random, 0, 3 * longest), uniform(random, 0, longest)});
    }
    return result;
}

template <class T>
T sent(T value)
{
    return base::from_numbers<T>(base::to_numbers(value));
}

/// The tasks of all processes of all nodes.
class World {
public:
    explicit World(const Traffic& traffic, bool share_cores = false) : traffic_(traffic)
    {
        const grid::Nodes& nodes = traffic.nodes;
        for (int r = 0; r < nodes.processes(); ++r) declare(r);
        for (int n = 0; n < nodes.count(); ++n) {
            std::vector<WireDeclaration> declarations;
            for (const int member : nodes.members(n)) declarations.push_back(sent(declarations_[member]));
            agents_.emplace_back(nodes.members(n), share_cores);
            outgoing_.push_back(agents_.back().outgoing(declarations));
        }
        for (int n = 0; n < nodes.count(); ++n) {
            WiresByNode incoming;
            for (const int member : nodes.members(n))
                for (const int source : declarations_[member].source_nodes)
                    incoming[source] = sent(outgoing_[at(source)].at(n));
            agents_[at(n)].receive(incoming);
            for (const auto& [source, wires] : incoming)
                for (std::size_t i = 0; i < wires.size(); ++i)
                    outgoing_[at(source)].at(n)[i].receiver = wires[i].receiver;
            incoming_.push_back(std::move(incoming));
        }
        for (int n = 0; n < nodes.count(); ++n) {
            WireTable table(nodes.members(n), outgoing_[at(n)], incoming_[at(n)]);
            memory_.emplace_back(at(table.bytes()), -1);
            for (auto& [rank, tasks] : table.tasks()) tasks_[rank] = sent(tasks);
        }
    }

    const std::vector<WiresByNode>& outgoing() const { return outgoing_; }
    std::map<int, WireTasks>& tasks() { return tasks_; }

    /// The bytes that arrive, by source and target.
    std::map<std::pair<int, int>, Bytes> run(std::uint64_t turn)
    {
        const auto row = [&](int rank, const WireEnd& end) {
            return &memory_[at(traffic_.nodes.of(rank))]
                           [at(end.buffer + static_cast<int>(turn % 2) * end.stride)];
        };
        for (const auto& [rank, tasks] : tasks_)
            for (const auto& [node, begin, end] : tasks.contributions)
                contribute(rank, node, row(rank, end) + begin);
        std::map<std::pair<int, int>, Bytes> on_the_way;
        for (const auto& [rank, tasks] : tasks_)
            for (const auto& send : tasks.sends) {
                const int* const from = row(rank, send.end);
                const bool is_first =
                    on_the_way.emplace(std::pair(rank, send.partner), Bytes(from, from + send.bytes)).second;
                EXPECT_TRUE(is_first) << "two messages from " << rank << " to " << send.partner;
            }
        for (const auto& [rank, tasks] : tasks_)
            for (const auto& receive : tasks.receives) {
                const auto message = on_the_way.extract({receive.partner, rank});
                EXPECT_FALSE(message.empty());
                EXPECT_EQ(std::ssize(message.mapped()), receive.bytes);
                std::ranges::copy(message.mapped(), row(rank, receive.end));
            }
        EXPECT_TRUE(on_the_way.empty());
        std::map<std::pair<int, int>, Bytes> arrived;
        for (const auto& [rank, tasks] : tasks_)
            for (const auto& [end, messages] : tasks.readings)
                for (const WireMessage& message : messages) {
                    EXPECT_EQ(message.target, rank);
                    Bytes& bytes = arrived[{message.source, message.target}];
                    for (const WireRow& its : message.rows)
                        bytes.insert(bytes.end(), row(rank, end) + its.begin,
                                     row(rank, end) + its.begin + its.bytes);
                }
        return arrived;
    }

private:
    void declare(int rank)
    {
        WireDeclaration& declaration = declarations_[rank];
        std::map<int, std::vector<int>> targets;
        std::set<int> sources;
        for (const auto& [edge, rows] : traffic_.messages) {
            if (edge.first == rank) targets[traffic_.nodes.of(edge.second)].push_back(edge.second);
            if (edge.second == rank) sources.insert(traffic_.nodes.of(edge.first));
        }
        declaration.source_nodes.assign(sources.begin(), sources.end());
        for (const auto& [node, list] : targets) {
            std::vector<Rows> rows;
            for (const int target : list) rows.push_back(traffic_.messages.at({rank, target}));
            const UnionOfRows& part = parts_.emplace(std::pair(rank, node), UnionOfRows(rows)).first->second;
            WirePart& declared = declaration.parts.emplace_back();
            declared.node = node;
            declared.bytes = part.bytes();
            for (std::size_t i = 0; i < list.size(); ++i)
                declared.messages.push_back({rank, list[i], part.rows(i)});
            std::set<int> distinct;
            for (const Rows& its : rows)
                std::ranges::copy(bytes_of(rank, its), std::inserter(distinct, distinct.end()));
            EXPECT_EQ(part.bytes(), std::ssize(distinct)) << "some bytes cross twice";
            targets_[{rank, node}] = list;
        }
    }
    void contribute(int rank, int node, int* to) const
    {
        const std::vector<int>& list = targets_.at({rank, node});
        for (const UnionOfRows::Piece& piece : parts_.at({rank, node}).pieces()) {
            const Bytes message = bytes_of(rank, traffic_.messages.at({rank, list[piece.message]}));
            std::copy_n(message.begin() + piece.offset, piece.bytes, to + piece.begin);
        }
    }

    const Traffic& traffic_;
    std::map<int, WireDeclaration> declarations_;
    std::map<std::pair<int, int>, UnionOfRows> parts_;
    std::map<std::pair<int, int>, std::vector<int>> targets_;
    std::vector<WireAgents> agents_;
    std::vector<WiresByNode> outgoing_, incoming_;
    std::map<int, WireTasks> tasks_;
    std::vector<Bytes> memory_; // by node
};

TEST(Wires, EachMessageArrives)
{
    Random random(5);
    for (int repeat = 0; repeat < cases::times(4000); ++repeat) {
        const Traffic traffic = random_traffic(random);
        World world(traffic);
        for (std::uint64_t turn = 0; turn < 2; ++turn) {
            auto arrived = world.run(turn);
            for (const auto& [edge, rows] : traffic.messages)
                ASSERT_EQ(arrived[edge], bytes_of(edge.first, rows))
                    << "case " << repeat << ": from " << edge.first << " to " << edge.second;
        }
    }
}

TEST(Wires, OneMessageGoesFromNodeToNode)
{
    Random random(6);
    for (int repeat = 0; repeat < cases::times(1000); ++repeat) {
        const Traffic traffic = random_traffic(random);
        const bool share_cores = repeat % 2 == 1;
        World world(traffic, share_cores);
        for (const WiresByNode& of_node : world.outgoing())
            for (const auto& [node, wires] : of_node) {
                std::int64_t bytes = 0;
                std::size_t contributors = 0;
                for (const Wire& wire : wires) {
                    bytes += wire.bytes;
                    contributors += wire.contributors.size();
                }
                // A light one may be made longer by gaps between parts.
                if (wires.size() > 1) {
                    EXPECT_EQ(wires.size(), contributors);
                    EXPECT_GE(bytes, heavy_wire);
                }
                if (bytes < heavy_wire || share_cores) {
                    EXPECT_LE(wires.size(), 1U);
                }
            }
    }
}

TEST(Wires, ManyShortMessagesTakeLongerWithout)
{
    // Four nodes of four processes.
    std::vector<int> labels;
    for (int process = 0; process < 16; ++process) labels.push_back(process / 4);
    const auto nodes = std::make_shared<const grid::Nodes>(labels);
    for (const int processes_a_core : {1, 2}) {
        const schedule::Layout layout{false, processes_a_core, nodes};
        const schedule::Machine machine = with_shared_memory({}, schedule::Large::shared, layout);
        const auto is_better = [&](const ExchangeCounts& counts) {
            return exchange_ps(counts, true, machine, layout) < exchange_ps(counts, false, machine, layout);
        };
        EXPECT_TRUE(is_better({3, 24, 48, 400, 3}));
        EXPECT_FALSE(is_better({3, 24, 1, 8, 1}));
        EXPECT_FALSE(is_better({3, 1 << 20, 12, 4 << 20, 3}));
        constexpr std::int64_t huge = std::int64_t{1} << 62;
        EXPECT_GT(exchange_ps({huge, huge, huge, huge, huge}, true, machine, layout), 0);
    }
}

TEST(Wires, AgentsShareTheWork)
{
    // Two nodes of three and five processes, and six nodes of one, all to all, 8 bytes each.
    std::vector<int> labels{0, 0, 0, 1, 1, 1, 1, 1, 2, 3, 4, 5, 6, 7};
    Traffic traffic{grid::Nodes(labels), {}};
    for (int from = 0; from < std::ssize(labels); ++from)
        for (int to = 0; to < std::ssize(labels); ++to)
            if (labels[at(from)] != labels[at(to)]) traffic.messages[{from, to}] = {{8 * to, 8}};
    World world(traffic);
    for (auto& [rank, tasks] : world.tasks()) {
        const auto messages = tasks.sends.size() + tasks.receives.size();
        if (rank < 3) {
            EXPECT_GE(messages, 4U) << rank;
            EXPECT_LE(messages, 5U) << rank;
        } else if (rank < 8) {
            EXPECT_GE(messages, 2U) << rank;
            EXPECT_LE(messages, 3U) << rank;
        } else {
            EXPECT_EQ(messages, 14U) << rank;
        }
    }
}

} // namespace
