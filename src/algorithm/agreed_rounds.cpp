// SPDX-License-Identifier: BSD-3-Clause
// Rounds for the messages of an alltoall that all processes know alike.  No MPI in this file.

#include "algorithm/agreed_rounds.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "algorithm/edge_bundles.hpp"
#include "algorithm/edge_coloring.hpp"
#include "base/index.hpp"

namespace ortho::algorithm {

namespace {

/// The largest number of messages on all processes, since each process lists them all.
constexpr long long most_of_all = 1 << 17;

/// The counts of the processes that have most to do, by phase.  `phase_of`: of each message.
std::vector<schedule::PhaseCounts> counts_of(std::span<const WeightedEdge> messages,
                                             std::span<const int> phase_of, const grid::Nodes* nodes)
{
    using Key = std::pair<int, int>; // phase, and process or node
    std::map<Key, schedule::PhaseCounts> sent;
    std::map<Key, schedule::PhaseCounts> received;
    std::map<Key, std::int64_t> leaving;
    for (std::size_t i = 0; i < messages.size(); ++i) {
        const auto& [from, to, bytes] = messages[i];
        const bool leaves = nodes != nullptr && nodes->of(from) != nodes->of(to);
        for (schedule::PhaseCounts* const its : {&sent[{phase_of[i], from}], &received[{phase_of[i], to}]}) {
            ++its->messages;
            ++its->blocks;
            its->amount += bytes;
            if (!leaves) continue;
            ++its->off.messages;
            its->off.blocks += bytes;
        }
        if (leaves) leaving[{phase_of[i], nodes->of(from)}] += bytes;
    }
    std::vector<schedule::PhaseCounts> result;
    for (const auto* const side : {&sent, &received})
        for (const auto& [key, counts] : *side) {
            if (std::ssize(result) <= key.first) result.resize(at(key.first) + 1);
            raise(result[at(key.first)], counts);
        }
    for (const auto& [key, bytes] : leaving)
        result[at(key.first)].off.node_blocks = std::max(result[at(key.first)].off.node_blocks, bytes);
    return result;
}

/// Lighter messages take no longer if several meet at a process.
constexpr std::int64_t least_heavy = 8192;

/// The messages of a round of this process.
struct Both {
    const Bundle* to = nullptr;
    const Bundle* from = nullptr;
};

} // namespace

std::optional<Agreed> agree_on_rounds(const PlannerContext& context, std::span<const std::int64_t> bytes,
                                      std::int64_t most_messages, Agreement& agreement)
{
    if (most_messages * agreement.processes() > most_of_all) return std::nullopt;
    const grid::LocalGraph& graph = context.graph;
    std::map<int, int> first_offset; // partner -> of a common stencil
    if (context.neighborhood)
        for (int i = 0; i < context.neighborhood->size(); ++i)
            first_offset.emplace(
                context.neighborhood->grid.neighbor(graph.rank, context.neighborhood->offsets[i]), i);
    std::vector<long long> numbers;
    for (const Bundle& bundle : EdgeBundles(graph.targets)) {
        if (bundle.partner == graph.rank) continue;
        std::int64_t weight = 0;
        for (const int edge : bundle.edges) weight += bytes[at(edge)];
        const auto found = first_offset.find(bundle.partner);
        numbers.insert(numbers.end(), {graph.rank, bundle.partner, weight,
                                       found != first_offset.end() ? found->second : -1});
    }
    numbers = agreement.gather(numbers);
    std::vector<WeightedEdge> all;
    std::vector<int> offsets;
    for (std::size_t i = 0; i < numbers.size(); i += 4) {
        all.push_back({static_cast<int>(numbers[i]), static_cast<int>(numbers[i + 1]), numbers[i + 2]});
        offsets.push_back(static_cast<int>(numbers[i + 3]));
    }
    std::vector<int> rounds = rounds_by_offset(all, offsets);
    if (rounds.empty()) rounds = color_edges(all, agreement.processes());
    std::map<int, int> to; // partner -> round
    std::map<int, int> from;
    for (std::size_t e = 0; e < all.size(); ++e) {
        if (all[e].from == graph.rank) to[all[e].to] = rounds[e];
        if (all[e].to == graph.rank) from[all[e].from] = rounds[e];
    }
    Agreed result;
    const auto add = [&](const std::vector<int>& partners, const std::map<int, int>& round_of) {
        for (const int partner : partners) {
            const auto found = round_of.find(partner);
            result.numbers.push_back(found != round_of.end() ? found->second : 0);
        }
    };
    add(graph.targets, to);
    add(graph.sources, from);
    for (int& round : rounds) round /= rounds_in_a_phase(context);
    result.in_rounds = counts_of(all, rounds, context.layout.nodes.get());
    result.at_once = counts_of(all, std::vector<int>(all.size(), 0), context.layout.nodes.get());
    return result;
}

const Agreed* known_rounds(const PlannerContext& context, const CallSpecification& specification)
{
    if (!specification.agreed.empty()) return &specification.agreed.front();
    const bool by_stencil = context.neighborhood && (specification.irregular ? !specification.sizes.empty()
                                                                             : context.regular_sizes_agree);
    return by_stencil ? nullptr : context.by_weights.get();
}

std::optional<Agreed> agree_if_heavy(const PlannerContext& context, const CallSpecification& specification,
                                     std::span<const std::int64_t> bytes, bool named, Agreement& agreement)
{
    if (!specification.extremes) return std::nullopt;
    const auto& [most, heaviest, lightest] = *specification.extremes;
    // The rounds of a common stencil are known.
    const bool by_stencil = !specification.irregular && context.neighborhood && context.regular_sizes_agree;
    const bool pays = heaviest >= least_heavy &&
                      ((specification.irregular && heaviest / 2 >= lightest) || context.may_meet > 0);
    if (by_stencil || !(pays || named)) return std::nullopt;
    // The largest number of messages of a process bounds all of them.
    return agree_on_rounds(context, bytes, most, agreement);
}

void write_rounds(schedule::Builder& out, const grid::LocalGraph& graph, const std::vector<int>& numbers,
                  int in_a_phase)
{
    const EdgeBundles targets(graph.targets);
    const EdgeBundles sources(graph.sources);
    std::map<int, Both> by_round;
    for (const Bundle& bundle : targets)
        if (bundle.partner != graph.rank) by_round[numbers[at(bundle.edges.front())]].to = &bundle;
    for (const Bundle& bundle : sources)
        if (bundle.partner != graph.rank)
            by_round[numbers[graph.targets.size() + at(bundle.edges.front())]].from = &bundle;
    int phase = 0;
    for (const auto& [round, both] : by_round) {
        if (in_a_phase != all_in_a_phase)
            for (; phase < round / in_a_phase; ++phase) out.begin_phase();
        out.begin_round(both.to != nullptr ? both.to->edges.front() : schedule::nobody,
                        both.from != nullptr ? both.from->edges.front() : schedule::nobody);
        if (both.to != nullptr)
            for (const int edge : both.to->edges) out.send(schedule::send_slot(edge));
        if (both.from != nullptr)
            for (const int edge : both.from->edges) out.receive(schedule::receive_slot(edge));
    }
    copy_to_oneself(out, graph);
}

} // namespace ortho::algorithm
