// SPDX-License-Identifier: BSD-3-Clause
// Alltoall on any graph, one message for each partner, in rounds.  No MPI in this file.

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "algorithm/algorithm.hpp"
#include "algorithm/edge_bundles.hpp"
#include "algorithm/edge_coloring.hpp"
#include "base/index.hpp"
#include "schedule/builder.hpp"

namespace ortho::algorithm {

using schedule::Builder;
using schedule::nobody;
using schedule::receive_slot;
using schedule::send_slot;

namespace {

/// The largest number of messages on all processes, since each process lists them all.
constexpr long long most_messages = 1 << 17;

WhyNot rounds_must_be_agreed(const PlannerContext&, const CallSpecification& specification)
{
    if (agreed_numbers(specification, "alltoall_ordered") != nullptr) return WhyNot::nothing;
    if (!specification.irregular) return WhyNot::one_size;
    return specification.persistent ? WhyNot::no_rounds : WhyNot::not_persistent;
}

/// Lighter messages take no longer if several meet at a process.
constexpr std::int64_t least_heavy = 8192;

/// The rounds of all messages, heavy ones first.  Nothing if there are too many messages.  Nothing either if
/// no message is heavy, and twice as heavy as another, and nobody has named the algorithm.
///
/// Source    T. Hoefler, J. L. Traff: Sparse Collective Operations for MPI, III-A, IV-D.
std::optional<std::vector<int>> agree_on_rounds(const CallSpecification& specification,
                                                const grid::LocalGraph& graph,
                                                std::span<const std::int64_t> bytes, bool named,
                                                Agreement& agreement)
{
    if (!specification.irregular || !specification.extremes) return std::nullopt;
    const auto& [most, heaviest, lightest] = *specification.extremes;
    const bool differ = heaviest >= least_heavy && heaviest / 2 >= lightest;
    // The largest number of messages of a process bounds all of them.
    if (most * agreement.processes() > most_messages || !(differ || named)) return std::nullopt;

    std::vector<WeightedEdge> mine;
    for (const Bundle& bundle : EdgeBundles(graph.targets)) {
        if (bundle.partner == graph.rank) continue;
        std::int64_t weight = 0;
        for (const int edge : bundle.edges) weight += bytes[at(edge)];
        mine.push_back({graph.rank, bundle.partner, weight});
    }
    std::vector<long long> numbers;
    for (const WeightedEdge& edge : mine) numbers.insert(numbers.end(), {edge.from, edge.to, edge.weight});
    numbers = agreement.gather(numbers);
    std::vector<WeightedEdge> all;
    for (std::size_t i = 0; i < numbers.size(); i += 3)
        all.push_back({static_cast<int>(numbers[i]), static_cast<int>(numbers[i + 1]), numbers[i + 2]});
    const std::vector<int> rounds = color_edges(all, agreement.processes());
    std::map<int, int> to; // partner -> round
    std::map<int, int> from;
    for (std::size_t e = 0; e < all.size(); ++e) {
        if (all[e].from == graph.rank) to[all[e].to] = rounds[e];
        if (all[e].to == graph.rank) from[all[e].from] = rounds[e];
    }
    std::vector<int> result;
    const auto add = [&](const std::vector<int>& partners, const std::map<int, int>& round_of) {
        for (const int partner : partners) {
            const auto found = round_of.find(partner);
            result.push_back(found != round_of.end() ? found->second : 0);
        }
    };
    add(graph.targets, to);
    add(graph.sources, from);
    return result;
}

/// Delivers send block i along out-edge i, each into the slot of its in-edge, as alltoall_direct does.
/// Messages go out in the order of their rounds; in a round a process sends and receives at most one message.
///
/// All rounds are in one phase: no process waits for a round to end, but only for its partners.
///
/// Shapes    send slots: out-edges; receive slots: in-edges.  Agreed: for each out-edge and then for each
///           in-edge the round of the message to, or from, the process at its end; entries of gaps and
///           self-edges are not read.
/// Result    one phase; self-edges are copied meanwhile.
/// Cost      that of alltoall_direct.
/// Requires  rounds that are the same at both ends.  Without any, messages go in the order of edges.
/// Errors    none of its own.
/// Source    T. Hoefler, J. L. Traff: Sparse Collective Operations for MPI, III-A, IV-D.
schedule::Schedule build_alltoall_ordered(const PlannerContext&, const grid::LocalGraph& graph,
                                          const CallSpecification& specification, const Groups&)
{
    struct Both {
        const Bundle* to = nullptr;
        const Bundle* from = nullptr;
    };
    const EdgeBundles targets(graph.targets);
    const EdgeBundles sources(graph.sources);
    const std::vector<int>* const agreed = agreed_numbers(specification, "alltoall_ordered");
    const auto round_of = [&](const Bundle& bundle, std::size_t first) {
        const int edge = bundle.edges.front();
        return agreed != nullptr ? (*agreed)[first + at(edge)] : edge;
    };
    std::map<int, Both> by_round;
    for (const Bundle& bundle : targets)
        if (bundle.partner != graph.rank) by_round[round_of(bundle, 0)].to = &bundle;
    for (const Bundle& bundle : sources)
        if (bundle.partner != graph.rank) by_round[round_of(bundle, graph.targets.size())].from = &bundle;

    Builder out = Builder::on_graph();
    out.begin_phase();
    for (const auto& [round, both] : by_round) {
        out.begin_round(both.to != nullptr ? both.to->edges.front() : nobody,
                        both.from != nullptr ? both.from->edges.front() : nobody);
        if (both.to != nullptr)
            for (const int edge : both.to->edges) out.send(send_slot(edge));
        if (both.from != nullptr)
            for (const int edge : both.from->edges) out.receive(receive_slot(edge));
    }
    copy_to_oneself(out, graph);
    return std::move(out).finish();
}

} // namespace

extern const Algorithm alltoall_ordered = {
    .name = "alltoall_ordered",
    .collective = Collective::alltoall,
    .does = "sends every out-neighbor its blocks in one message, large messages first, and no two of a round "
            "to one process",
    .why_not = rounds_must_be_agreed,
    .agree = agree_on_rounds,
    .build = build_alltoall_ordered,
};

} // namespace ortho::algorithm
