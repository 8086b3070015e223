// SPDX-License-Identifier: BSD-3-Clause
// One message for all data between two nodes.  No MPI in this file.

#include "algorithm/node_pairs.hpp"

#include <algorithm>

#include "base/index.hpp"

namespace ortho::algorithm {

using grid::Grid;
using schedule::Builder;
using schedule::receive_slot;
using schedule::send_slot;
using schedule::Slot;

namespace {

/// Writes the schedule of one process.
class Writer {
public:
    using Block = NodePairs::Block;
    using Messages = NodePairs::Messages;

    Writer(const grid::Neighborhood& neighborhood, int rank, bool personal, Builder out)
        : grid_(neighborhood.grid),
          rank_(rank),
          out_(std::move(out))
    {
        for (int i = 0; i < neighborhood.size(); ++i) {
            const int source = grid_.neighbor_against(rank, neighborhood.offsets[i]);
            if (source == Grid::nowhere) continue;
            const int index = personal ? i : 0;
            if (source == rank)
                own_.emplace_back(send_slot(index), receive_slot(i));
            else
                wanted_[{source, index}].push_back(i);
        }
    }

    /// Adds a phase with the messages from and to this process.
    void phase(const Messages& sent, const Messages& received)
    {
        out_.begin_phase();
        for (const auto& [from, to] : own_) out_.copy_meanwhile(from, to);
        own_.clear();
        for (const auto& [ends, blocks] : sent) {
            if (ends.first != rank_) continue;
            begin_round(rank_, ends.second);
            for (const Block& block : blocks) out_.send(place_of(block));
        }
        for (const auto& [ends, blocks] : received) {
            if (ends.second != rank_) continue;
            begin_round(ends.first, rank_);
            for (const Block& block : blocks) land(block);
        }
    }

    schedule::Schedule finish() && { return std::move(out_).finish(); }

private:
    void begin_round(int from, int to)
    {
        std::vector<int> step(at(grid_.dimensions()));
        grid_.offset(from, to, step);
        out_.begin_round(step);
    }

    Slot place_of(const Block& block) const
    {
        return block.origin == rank_ ? send_slot(block.index) : places_.at(block);
    }

    void land(const Block& block)
    {
        Slot& place = places_[block];
        const auto slots = wanted_.find(block);
        place = slots != wanted_.end() ? receive_slot(slots->second.front()) : out_.new_temp(block.index);
        out_.receive(place);
        if (slots == wanted_.end()) return;
        for (std::size_t k = 1; k < slots->second.size(); ++k)
            out_.copy_afterwards(place, receive_slot(slots->second[k]));
    }

    const Grid& grid_;
    int rank_;
    Builder out_;
    std::vector<std::pair<Slot, Slot>> own_;
    std::map<Block, std::vector<int>> wanted_; // indices of blocks from elsewhere that end here
    std::map<Block, Slot> places_;             // the places of such blocks that are here
};

} // namespace

NodePairs::NodePairs(const grid::Neighborhood& neighborhood, const grid::Nodes& nodes, bool personal)
    : neighborhood_(neighborhood),
      nodes_(nodes),
      personal_(personal)
{}

int NodePairs::Agents::with(int other) const
{
    const auto i = std::ranges::lower_bound(partners, other) - partners.begin();
    return members[static_cast<std::size_t>(i) % members.size()];
}

NodePairs::Agents NodePairs::agents_of(int node) const
{
    Agents result{nodes_.members(node), {}};
    std::vector<int>& partners = result.partners;
    for (const int process : result.members) {
        for (int i = 0; i < neighborhood_.size(); ++i) {
            for (const int other : {neighborhood_.grid.neighbor(process, neighborhood_.offsets[i]),
                                    neighborhood_.grid.neighbor_against(process, neighborhood_.offsets[i])})
                if (other != Grid::nowhere && nodes_.of(other) != node) partners.push_back(nodes_.of(other));
        }
        // Many edges lead to few nodes.
        std::ranges::sort(partners);
        partners.erase(std::ranges::unique(partners).begin(), partners.end());
    }
    return result;
}

void NodePairs::add(Blocks& message, Block block)
{
    if (message.empty() || message.back() != block) message.push_back(block);
}

NodePairs::Messages NodePairs::gathering(int node, const Agents& agents, int only) const
{
    Messages result;
    for (const int origin : agents.members) {
        for (int i = 0; i < neighborhood_.size(); ++i) {
            const int target = neighborhood_.grid.neighbor(origin, neighborhood_.offsets[i]);
            if (target == Grid::nowhere) continue;
            const int to = nodes_.of(target) == node ? target : agents.with(nodes_.of(target));
            if (to == origin || (only != origin && only != to)) continue;
            add(result[{origin, to}], block(origin, i));
        }
    }
    return result;
}

NodePairs::Messages NodePairs::crossing(int node, const Agents& agents, int only) const
{
    Messages result;
    for (const int origin : agents.members) {
        for (int i = 0; i < neighborhood_.size(); ++i) {
            const int target = neighborhood_.grid.neighbor(origin, neighborhood_.offsets[i]);
            if (target == Grid::nowhere || nodes_.of(target) == node) continue;
            if (agents.with(nodes_.of(target)) == only)
                add(result[{only, nodes_.of(target)}], block(origin, i));
        }
    }
    return result;
}

NodePairs::Messages NodePairs::arriving(int node, const Agents& agents, int agent) const
{
    Messages result;
    for (const int other : agents.partners) {
        if (agents.with(other) != agent) continue;
        Blocks message;
        for (const int origin : nodes_.members(other)) {
            for (int i = 0; i < neighborhood_.size(); ++i) {
                const int target = neighborhood_.grid.neighbor(origin, neighborhood_.offsets[i]);
                if (target != Grid::nowhere && nodes_.of(target) == node) add(message, block(origin, i));
            }
        }
        if (!message.empty()) result[{agents_of(other).with(node), agent}] = std::move(message);
    }
    return result;
}

NodePairs::Messages NodePairs::spreading(int node, const Agents& agents, int only) const
{
    Messages result;
    for (const int target : agents.members) {
        for (int i = 0; i < neighborhood_.size(); ++i) {
            const int origin = neighborhood_.grid.neighbor_against(target, neighborhood_.offsets[i]);
            if (origin == Grid::nowhere || nodes_.of(origin) == node) continue;
            const int agent = agents.with(nodes_.of(origin));
            if (agent == target || (only != agent && only != target)) continue;
            add(result[{agent, target}], block(origin, i));
        }
    }
    return result;
}

schedule::Schedule NodePairs::schedule_of(int rank) const
{
    return schedule_of(rank, Builder::on_grid(neighborhood_.dimensions()));
}

schedule::Schedule NodePairs::schedule_of(int rank, Builder out) const
{
    const int node = nodes_.of(rank);
    const Agents agents = agents_of(node);
    Writer writer(neighborhood_, rank, personal_, std::move(out));
    const Messages gathered = gathering(node, agents, rank);
    writer.phase(gathered, gathered);
    Messages crossing_over;
    for (auto& [ends, blocks] : crossing(node, agents, rank))
        crossing_over[{rank, agents_of(ends.second).with(node)}] = std::move(blocks);
    writer.phase(crossing_over, arriving(node, agents, rank));
    const Messages spread = spreading(node, agents, rank);
    writer.phase(spread, spread);
    return std::move(writer).finish();
}

double NodePairs::most_edges(const grid::Neighborhood& neighborhood, const grid::Nodes& nodes)
{
    const auto [smallest, largest] = std::ranges::minmax(nodes.sizes());
    const double pairs = std::min(2.0 * neighborhood.size(), 1 + (nodes.count() - 1.0) / smallest);
    return (1 + pairs) * largest * neighborhood.size();
}

} // namespace ortho::algorithm
