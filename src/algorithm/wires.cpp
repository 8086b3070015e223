// SPDX-License-Identifier: BSD-3-Clause
// Wires: what travels between two nodes in one message.  No MPI in this file.

#include "algorithm/wires.hpp"

#include <algorithm>
#include <set>

#include "base/arithmetic.hpp"
#include "schedule/work.hpp"

namespace ortho::algorithm {

namespace {

/// The work of an agent of the wire, in bytes: a message takes as long as some kilobytes of it.
std::int64_t load_of(const Wire& wire) { return 8192 + wire.bytes; }

/// Parts, states and buffers begin at multiples of this.
constexpr std::int64_t wire_alignment = 64;

std::int64_t aligned(std::int64_t bytes) { return base::rounded_up(bytes, wire_alignment); }

/// A row behind others: it becomes part of the last one, if it goes on where that ends.
void append(std::vector<WireRow>& rows, WireRow row)
{
    if (!rows.empty() && rows.back().begin + rows.back().bytes == row.begin)
        rows.back().bytes += row.bytes;
    else
        rows.push_back(row);
}

/// A process contributes its part.
void add_part(Wire& wire, int rank, const WirePart& part)
{
    const std::int64_t begin = aligned(wire.bytes);
    wire.contributors.emplace_back(rank, begin);
    for (WireMessage message : part.messages) {
        for (WireRow& row : message.rows) row.begin += begin;
        wire.messages.push_back(std::move(message));
    }
    wire.bytes = begin + part.bytes;
}

} // namespace

std::int64_t exchange_ps(const ExchangeCounts& counts, bool by_wires, const schedule::Machine& machine,
                         const schedule::Layout& layout)
{
    const std::int64_t members = std::ranges::max(layout.nodes->sizes());
    // Others of its node may have less: wires count as heavy if one process alone makes them so.
    const bool is_heavy = layout.processes_a_core == 1 &&
                          counts.off_bytes / std::max<std::int64_t>(1, counts.nodes) >= heavy_wire;
    // The wires of a node are divided among its processes, unless each process has its own.
    const std::int64_t wires = is_heavy ? counts.nodes : base::divided_up(counts.nodes, members);
    schedule::Work exchange;
    exchange.phases = 1;
    exchange.off_phases = counts.off_messages > 0 ? 1 : 0;
    exchange.off_messages = by_wires ? wires : counts.off_messages;
    exchange.off_bytes = counts.off_bytes;
    exchange.messages = base::times_plus(1, counts.node_messages, exchange.off_messages);
    exchange.bytes = base::times_plus(1, counts.node_bytes, exchange.off_bytes);
    const std::int64_t time = schedule::predict(machine, layout, exchange);
    if (!by_wires) return time;
    // Contributors have their turn, then the senders, and readers for each row.  A byte goes from one process to
    // another before its message, and after it.
    schedule::Work rows;
    rows.phases = 2 + counts.nodes;
    rows.messages = counts.nodes;
    rows.bytes = base::times_plus(counts.off_bytes, 2, 0);
    return base::times_plus(1, schedule::predict(machine, layout, rows), time);
}

WireAgents::WireAgents(std::span<const int> members, bool share_cores) : share_cores_(share_cores)
{
    for (const int member : members) loads_[member] = 0;
}

void WireAgents::choose(std::vector<Wire*> wires, int Wire::*agent)
{
    std::ranges::stable_sort(wires, std::ranges::greater(), &Wire::bytes);
    for (Wire* const wire : wires) {
        const auto least = std::ranges::min_element(loads_, {}, [](const auto& load) { return load.second; });
        wire->*agent = least->first;
        least->second += load_of(*wire);
    }
}

WiresByNode WireAgents::outgoing(std::span<const WireDeclaration> declarations)
{
    struct Share {
        int rank;
        const WirePart* part;
    };
    std::map<int, std::vector<Share>> by_node;
    auto member = loads_.begin();
    for (const WireDeclaration& declaration : declarations) {
        for (const WirePart& part : declaration.parts) by_node[part.node].push_back({member->first, &part});
        ++member;
    }
    WiresByNode result;
    std::vector<Wire*> to_choose;
    for (const auto& [node, shares] : by_node) {
        std::int64_t bytes = 0;
        for (const Share& share : shares) bytes += share.part->bytes;
        const bool is_heavy = !share_cores_ && bytes >= heavy_wire;
        std::vector<Wire>& wires = result[node];
        for (const auto& [rank, part] : shares) {
            if (part->bytes == 0) continue;
            if (wires.empty() || is_heavy) wires.push_back({rank, -1, 0, {}, {}});
            add_part(wires.back(), rank, *part);
        }
        for (Wire& wire : wires)
            if (is_heavy)
                loads_[wire.sender] += load_of(wire);
            else
                to_choose.push_back(&wire);
    }
    choose(std::move(to_choose), &Wire::sender);
    return result;
}

void WireAgents::receive(WiresByNode& incoming)
{
    std::vector<Wire*> all;
    for (auto& [node, wires] : incoming)
        for (Wire& wire : wires) all.push_back(&wire);
    choose(std::move(all), &Wire::receiver);
}

WireEnd WireTable::end_of(const Wire& wire)
{
    const std::int64_t stride = aligned(wire.bytes);
    const WireEnd end{bytes_, bytes_ + wire_state_bytes, stride};
    bytes_ += wire_state_bytes + 2 * stride;
    return end;
}

WireTable::WireTable(std::span<const int> members, const WiresByNode& outgoing, const WiresByNode& incoming)
{
    for (const int member : members) tasks_[member];
    for (const auto& [node, wires] : outgoing)
        for (const Wire& wire : wires) {
            const WireEnd end = end_of(wire);
            for (const auto& [rank, begin] : wire.contributors)
                tasks_[rank].contributions.push_back({node, begin, end});
            tasks_[wire.sender].sends.push_back(
                {wire.receiver, wire.bytes, std::ssize(wire.contributors), end});
        }
    for (const auto& [node, wires] : incoming)
        for (const Wire& wire : wires) {
            const WireEnd end = end_of(wire);
            std::set<int> readers;
            for (const WireMessage& message : wire.messages) {
                std::vector<WireTasks::Reading>& readings = tasks_[message.target].readings;
                if (readers.insert(message.target).second) readings.push_back({end, {}});
                readings.back().messages.push_back(message);
            }
            tasks_[wire.receiver].receives.push_back({wire.sender, wire.bytes, std::ssize(readers), end});
        }
}

UnionOfRows::UnionOfRows(std::span<const std::vector<WireRow>> messages) : rows_(messages.size())
{
    struct Origin {
        WireRow row;
        std::size_t message;
        std::int64_t offset;
        std::int64_t begin = 0; // in the union
    };
    std::vector<Origin> origins;
    for (std::size_t m = 0; m < messages.size(); ++m) {
        std::int64_t offset = 0;
        for (const WireRow& row : messages[m]) {
            origins.push_back({row, m, offset});
            offset += row.bytes;
        }
    }
    std::vector<std::size_t> order(origins.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return origins[i].row.begin; });
    std::int64_t end = 0; // the address behind all rows so far, which is bytes_ in the union
    for (const std::size_t i : order) {
        auto& [row, message, offset, begin] = origins[i];
        if (pieces_.empty() || row.begin > end) end = row.begin;
        begin = bytes_ - (end - row.begin);
        const std::int64_t fresh = row.begin + row.bytes - end;
        if (fresh <= 0) continue;
        pieces_.push_back({message, offset + row.bytes - fresh, fresh, bytes_});
        bytes_ += fresh;
        end += fresh;
    }
    for (const Origin& origin : origins) append(rows_[origin.message], {origin.begin, origin.row.bytes});
}

} // namespace ortho::algorithm
