// SPDX-License-Identifier: BSD-3-Clause
// The messages of a call that all processes look at together.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "agree/ballot.hpp"
#include "engine/context.hpp"

namespace ortho::engine {

/// How many messages an exchange has, or a reduction among neighbors, and how long they are.
class MessagesVote {
public:
    explicit MessagesVote(agree::Ballot& ballot)
        : most_(ballot),
          heaviest_(ballot),
          lightest_(ballot),
          node_messages_(ballot),
          node_bytes_(ballot),
          off_messages_(ballot),
          off_bytes_(ballot),
          nodes_(ballot),
          may_join_(ballot)
    {}

    void say(const Call& call, const topology::GraphInfo& graph_info, const CommTransports& network);
    // Once the ballot was held; nothing of other calls.
    std::optional<algorithm::Extremes> extremes() const;
    /// Nothing, too, if blocks may not join those of others.
    std::optional<algorithm::ExchangeCounts> counts() const;

private:
    using BytesByPartner = std::map<int, std::int64_t>;

    static BytesByPartner bytes_by_partner(const std::vector<int>& partners, const BufferBlocks& blocks,
                                           int me);
    void say_counts(const BytesByPartner& messages, const grid::Nodes& nodes, int me);

    agree::Largest most_;
    agree::Largest heaviest_;
    agree::Smallest lightest_;
    // See algorithm::ExchangeCounts.
    agree::Largest node_messages_;
    agree::Largest node_bytes_;
    agree::Largest off_messages_;
    agree::Largest off_bytes_;
    agree::Largest nodes_;
    agree::AllTrue may_join_;
};

} // namespace ortho::engine
