// SPDX-License-Identifier: BSD-3-Clause
// Agreeing on rounds for the messages of an alltoall whose sizes differ.

#include "engine/message_rounds.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "algorithm/bundle.hpp"
#include "algorithm/edge_coloring.hpp"
#include "mpi/exchange.hpp"

namespace ortho::engine {

namespace {

/// Messages in all, of which every process has a list while it counts.
constexpr long long most_messages = 1 << 17;

} // namespace

std::optional<algorithm::MessageRounds> agree_on_rounds(MPI_Comm channel, const Call& call,
                                                        const grid::LocalGraph& graph, bool always)
{
    std::vector<algorithm::WeightedEdge> mine;
    for (const algorithm::Bundle& bundle : algorithm::bundles(graph.targets)) {
        if (bundle.partner == graph.rank) continue;
        std::int64_t bytes = 0;
        for (const int edge : bundle.edges) bytes += call.send.bytes(edge);
        mine.push_back({graph.rank, bundle.partner, bytes});
    }
    // The largest number of messages of a process bounds all of them; the extremes of sizes.
    const auto by_weight = [](const auto& a, const auto& b) { return a.weight < b.weight; };
    const auto [lightest, heaviest] = std::ranges::minmax_element(mine, by_weight);
    long long extremes[] = {static_cast<long long>(mine.size()), mine.empty() ? 0 : heaviest->weight,
                            mine.empty() ? -std::numeric_limits<long long>::max() : -lightest->weight};
    mpi::maximize(channel, extremes);
    const bool differ = extremes[1] > 0 && extremes[1] / 2 >= -extremes[2];
    if (extremes[0] * mpi::size_of(channel) > most_messages || !(differ || always)) return std::nullopt;

    const std::vector<algorithm::WeightedEdge> all = mpi::gather_all(channel, mine);
    const std::vector<int> rounds = algorithm::color_edges(all, mpi::size_of(channel));
    std::map<int, int> to; // partner -> round
    std::map<int, int> from;
    for (std::size_t e = 0; e < all.size(); ++e) {
        if (all[e].from == graph.rank) to[all[e].to] = rounds[e];
        if (all[e].to == graph.rank) from[all[e].from] = rounds[e];
    }
    const auto by_edge = [](const std::vector<int>& partners, const std::map<int, int>& round_of) {
        std::vector<int> result;
        for (const int partner : partners) {
            const auto found = round_of.find(partner);
            result.push_back(found != round_of.end() ? found->second : 0);
        }
        return result;
    };
    return algorithm::MessageRounds{by_edge(graph.targets, to), by_edge(graph.sources, from)};
}

} // namespace ortho::engine
