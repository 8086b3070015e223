// SPDX-License-Identifier: BSD-3-Clause
// The messages of a call that all processes look at together.

#include "engine/messages_vote.hpp"

#include <set>

#include "base/index.hpp"

namespace ortho::engine {

namespace {

bool is_among_neighbors(planner::Collective collective)
{
    using enum planner::Collective;
    return collective == alltoall || collective == allgather || collective == allreduce ||
           collective == reduce_scatter;
}

} // namespace

void MessagesVote::say(const Call& call, const topology::GraphInfo& graph_info, const CommTransports& network)
{
    const bool is_one = is_among_neighbors(call.collective);
    const grid::Nodes* const nodes = graph_info.settings->layout.nodes.get();
    const auto& [rank, sources, targets] = graph_info.lists;
    // ORTHO_NODES may put processes together that share no memory.
    may_join_.say(is_one && nodes != nullptr && !call.may_separate &&
                  network.shares_memory_with(nodes->members(nodes->of(rank)), rank));
    if (!is_one) return;
    const auto sent = bytes_by_partner(targets, call.send, rank);
    most_.say(std::ssize(sent));
    heaviest_.say(0); // where there are no messages
    for (const auto& [partner, bytes] : sent) {
        heaviest_.say(bytes);
        lightest_.say(bytes);
    }
    if (nodes == nullptr) return;
    say_counts(sent, *nodes, rank);
    say_counts(bytes_by_partner(sources, call.receive, rank), *nodes, rank);
}

std::optional<algorithm::Extremes> MessagesVote::extremes() const
{
    if (!most_.is_said()) return std::nullopt;
    return algorithm::Extremes{most_.value(), heaviest_.value(), lightest_.value()};
}

std::optional<algorithm::ExchangeCounts> MessagesVote::counts() const
{
    if (!may_join_.holds() || !off_messages_.is_said()) return std::nullopt;
    return algorithm::ExchangeCounts{node_messages_.value(), node_bytes_.value(), off_messages_.value(),
                                     off_bytes_.value(), nodes_.value()};
}

MessagesVote::BytesByPartner MessagesVote::bytes_by_partner(const std::vector<int>& partners,
                                                            const BufferBlocks& blocks, int me)
{
    BytesByPartner result;
    for (int i = 0; i < std::ssize(partners); ++i)
        if (partners[at(i)] != grid::gap && partners[at(i)] != me)
            result[partners[at(i)]] += blocks.bytes(blocks.slots() == 1 ? 0 : i);
    return result;
}

void MessagesVote::say_counts(const BytesByPartner& messages, const grid::Nodes& nodes, int me)
{
    std::set<int> others;
    std::int64_t off = 0;
    std::int64_t off_bytes = 0;
    std::int64_t all_bytes = 0;
    for (const auto& [partner, bytes] : messages) {
        all_bytes += bytes;
        if (nodes.of(partner) == nodes.of(me)) continue;
        others.insert(nodes.of(partner));
        ++off;
        off_bytes += bytes;
    }
    node_messages_.say(std::ssize(messages) - off);
    node_bytes_.say(all_bytes - off_bytes);
    off_messages_.say(off);
    off_bytes_.say(off_bytes);
    nodes_.say(std::ssize(others));
}

} // namespace ortho::engine
