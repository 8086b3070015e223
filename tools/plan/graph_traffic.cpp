// SPDX-License-Identifier: BSD-3-Clause
// The messages that fill the ghosts of a distributed graph.

#include "plan/graph_traffic.hpp"

#include <algorithm>
#include <set>
#include <unordered_set>
#include <utility>

#include "algorithm/wires.hpp"
#include "base/index.hpp"

namespace plan {

using ortho::at;
using ortho::algorithm::Wire;
using ortho::algorithm::WiresByNode;

namespace {

/// Two numbers in one, for sorting.
using Key = std::uint64_t;
Key key_of(int first, int second)
{
    return Key{static_cast<std::uint32_t>(first)} << 32U | static_cast<std::uint32_t>(second);
}
int first_of(Key key) { return static_cast<int>(key >> 32U); }
int second_of(Key key) { return static_cast<int>(key & 0xFFFFFFFFU); }

/// Calls use(key, number) for each key in order, with how often it is there.
template <class Use>
void for_each_run_of_keys(std::vector<Key>& keys, Use use)
{
    std::ranges::sort(keys);
    for (std::size_t i = 0; i < keys.size();) {
        std::size_t end = i;
        while (end < keys.size() && keys[end] == keys[i]) ++end;
        use(keys[i], static_cast<std::int64_t>(end - i));
        i = end;
    }
}

/// Amounts that a process, or a node, sends and receives.
struct Flow {
    std::int64_t out = 0;
    std::int64_t in = 0;

    std::int64_t larger() const { return std::max(out, in); }
    std::int64_t mean() const { return (out + in + 1) / 2; }
};
struct ProcessLoad {
    Flow near, near_bytes, off, off_bytes, wires, wire_bytes, parts, part_bytes; // parts.out: one a node
    std::int64_t nodes_in = 0; // from so many other nodes it receives
};

class Counter {
public:
    Counter(const tools::SparseRows& rows, std::span<const int> parts, const ortho::grid::Nodes& nodes,
            std::int64_t bytes)
        : nodes_(nodes),
          bytes_(bytes),
          loads_(at(nodes.processes())),
          ways_out_(at(nodes.count())),
          wired_ways_out_(at(nodes.count()))
    {
        find_needs(rows, parts);
        make_wires(contributions(parts));
        count_messages(parts);
    }

    Traffic traffic()
    {
        Traffic& t = traffic_;
        t.near_messages = amount(&ProcessLoad::near);
        t.near_bytes = amount(&ProcessLoad::near_bytes);
        t.off_messages = amount(&ProcessLoad::off);
        t.off_bytes = amount(&ProcessLoad::off_bytes);
        t.wires = amount(&ProcessLoad::wires);
        t.wire_bytes = amount(&ProcessLoad::wire_bytes);
        t.parts = amount(&ProcessLoad::parts);
        t.direct = work(false);
        t.by_wires = work(true);
        for (const ProcessLoad& load : loads_) say_counts(load);
        return std::move(t);
    }

private:
    /// The elements that a process needs of others: (element, process), each once.
    void find_needs(const tools::SparseRows& rows, std::span<const int> parts)
    {
        for (int i = 0; i < rows.rows(); ++i)
            for (const int j : rows.row(i))
                if (parts[at(i)] != parts[at(j)]) needs_.push_back(key_of(j, parts[at(i)]));
        std::ranges::sort(needs_);
        const auto repeated = std::ranges::unique(needs_);
        needs_.erase(repeated.begin(), repeated.end());
    }
    /// The elements of each process for other nodes, each once: (process, node).
    std::vector<Key> contributions(std::span<const int> parts)
    {
        std::vector<Key> result;
        std::set<int> wanting;
        for (std::size_t i = 0; i < needs_.size();) {
            const int element = first_of(needs_[i]);
            const int owner = parts[at(element)];
            wanting.clear();
            for (; i < needs_.size() && first_of(needs_[i]) == element; ++i) {
                const int node = nodes_.of(second_of(needs_[i]));
                if (node != nodes_.of(owner) && !wanting.insert(node).second) ++traffic_.repeated;
            }
            for (const int node : wanting) result.push_back(key_of(owner, node));
        }
        return result;
    }

    /// The library's own way to make wires, for messages whose rows nobody asks for.
    void make_wires(std::vector<Key> contributions)
    {
        std::vector<ortho::algorithm::WireDeclaration> declarations(loads_.size());
        for_each_run_of_keys(contributions, [&](Key key, std::int64_t elements) {
            const int rank = first_of(key);
            const int node = second_of(key);
            declarations[at(rank)].parts.push_back({node, elements * bytes_, {}});
            traffic_.node_bytes[{nodes_.of(rank), node}] += elements * bytes_;
            ++loads_[at(rank)].parts.out;
            loads_[at(rank)].part_bytes.out += elements * bytes_;
        });
        std::vector<WiresByNode> incoming(at(nodes_.count()));
        std::vector<ortho::algorithm::WireAgents> agents;
        for (int node = 0; node < nodes_.count(); ++node) {
            std::vector<ortho::algorithm::WireDeclaration> of_node;
            for (const int member : nodes_.members(node))
                of_node.push_back(std::move(declarations[at(member)]));
            agents.emplace_back(nodes_.members(node), false);
            for (auto& [there, wires] : agents.back().outgoing(of_node)) {
                if (wires.size() > 1) heavy_.insert(key_of(node, there));
                incoming[at(there)][node] = std::move(wires);
            }
        }
        for (int node = 0; node < nodes_.count(); ++node) {
            agents[at(node)].receive(incoming[at(node)]);
            for (const auto& [there, wires] : incoming[at(node)])
                for (const Wire& wire : wires) add_wire(wire, there, node);
        }
    }
    void add_wire(const Wire& wire, int from, int to)
    {
        ++loads_[at(wire.sender)].wires.out;
        ++loads_[at(wire.receiver)].wires.in;
        loads_[at(wire.sender)].wire_bytes.out += wire.bytes;
        loads_[at(wire.receiver)].wire_bytes.in += wire.bytes;
        wired_ways_out_[at(from)].out += wire.bytes;
        wired_ways_out_[at(to)].in += wire.bytes;
    }

    /// Messages from process to process; and which wires each of them reads.
    void count_messages(std::span<const int> parts)
    {
        for (Key& need : needs_) need = key_of(second_of(need), parts[at(first_of(need))]);
        int reader = -1;
        std::set<int> read; // nodes that the target has heard of
        for_each_run_of_keys(needs_, [&](Key key, std::int64_t elements) {
            const int target = first_of(key);
            const int source = second_of(key);
            const int from = nodes_.of(source);
            const int to = nodes_.of(target);
            const bool is_near = from == to;
            traffic_.messages.push_back({source, target, elements});
            ProcessLoad& sending = loads_[at(source)];
            ProcessLoad& receiving = loads_[at(target)];
            ++(is_near ? sending.near : sending.off).out;
            ++(is_near ? receiving.near : receiving.off).in;
            (is_near ? sending.near_bytes : sending.off_bytes).out += elements * bytes_;
            (is_near ? receiving.near_bytes : receiving.off_bytes).in += elements * bytes_;
            if (is_near) return;
            ways_out_[at(from)].out += elements * bytes_;
            ways_out_[at(to)].in += elements * bytes_;
            if (std::exchange(reader, target) != target) read.clear();
            const bool is_first = read.insert(from).second;
            if (is_first) ++receiving.nodes_in;
            if (heavy_.contains(key_of(from, to)) || is_first) ++receiving.parts.in;
            receiving.part_bytes.in += elements * bytes_;
        });
    }

    Amount amount(Flow ProcessLoad::*flow) const
    {
        Amount result;
        for (const ProcessLoad& load : loads_) {
            result.most = std::max(result.most, (load.*flow).larger());
            result.all += (load.*flow).out;
        }
        return result;
    }
    static std::int64_t most_of(const std::vector<Flow>& nodes)
    {
        std::int64_t result = 0;
        for (const Flow& node : nodes) result = std::max(result, node.larger());
        return result;
    }
    /// The work as a price needs it.  A process that adds a part to a wire, or reads one, does half
    /// the work of a message through shared memory: one copy, one look at a counter.
    ortho::schedule::Work work(bool by_wires) const
    {
        std::int64_t near = 0;
        std::int64_t near_bytes = 0;
        ortho::schedule::Work result;
        for (const ProcessLoad& load : loads_) {
            const Flow none;
            const Flow& off = by_wires ? load.wires : load.off;
            const Flow& parts = by_wires ? load.parts : none;
            const Flow& part_bytes = by_wires ? load.part_bytes : none;
            near = std::max(near, load.near.mean() + parts.mean());
            near_bytes = std::max(near_bytes, load.near_bytes.larger() + part_bytes.mean());
            result.off_messages = std::max(result.off_messages, off.mean());
            result.off_bytes = std::max(result.off_bytes,
                                        (by_wires ? load.wire_bytes : load.off_bytes).larger());
            const std::int64_t blocks = by_wires ? 0 : std::max(load.off.out, load.off.in);
            result.blocks = std::max(result.blocks, load.near.larger() + parts.larger() + blocks);
        }
        result.off_phases = result.off_messages > 0 ? 1 : 0;
        result.phases = result.off_phases == 0 ? (near > 0 ? 1 : 0) : by_wires ? 3 : 1;
        result.messages = near + result.off_messages;
        result.bytes = near_bytes + result.off_bytes;
        result.node_bytes = most_of(by_wires ? wired_ways_out_ : ways_out_);
        return result;
    }
    void say_counts(const ProcessLoad& load)
    {
        const auto say = [](std::int64_t& most, std::int64_t of_load) { most = std::max(most, of_load); };
        auto& counts = traffic_.counts;
        say(counts.node_messages, load.near.larger());
        say(counts.node_bytes, load.near_bytes.larger());
        say(counts.off_messages, load.off.larger());
        say(counts.off_bytes, load.off_bytes.larger());
        say(counts.nodes, std::max(load.parts.out, load.nodes_in));
    }

    const ortho::grid::Nodes& nodes_;
    std::int64_t bytes_;
    std::vector<ProcessLoad> loads_;
    std::vector<Flow> ways_out_, wired_ways_out_; // of nodes, in bytes
    std::unordered_set<Key> heavy_;               // nodes with several wires from the first to the second
    std::vector<Key> needs_;
    Traffic traffic_;
};

} // namespace

Traffic count_traffic(const tools::SparseRows& rows, std::span<const int> parts,
                      const ortho::grid::Nodes& nodes, std::int64_t bytes)
{
    return Counter(rows, parts, nodes, bytes).traffic();
}

} // namespace plan
