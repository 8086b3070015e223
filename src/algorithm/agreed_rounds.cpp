// SPDX-License-Identifier: BSD-3-Clause
// Rounds for the messages of an alltoall that all processes know alike.  No MPI in this file.

#include "algorithm/agreed_rounds.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "algorithm/edge_bundles.hpp"
#include "base/index.hpp"

namespace ortho::algorithm {

namespace {

constexpr int none = -1;

/// The message of each process in each round.
class Timetable {
public:
    Timetable(int processes, int rounds) : rounds_(rounds), edge_(at(processes) * at(rounds), none) {}
    int& at_round(int process, int round) { return edge_[at(process) * at(rounds_) + at(round)]; }
    int first_free(int process)
    {
        int round = 0;
        while (at_round(process, round) != none) ++round;
        return round;
    }

private:
    int rounds_;
    std::vector<int> edge_;
};

} // namespace

std::vector<int> color_edges(std::span<const WeightedEdge> edges, int processes)
{
    std::vector<int> order(edges.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](int e) {
        return std::tuple(-edges[at(e)].weight, edges[at(e)].from, edges[at(e)].to);
    });
    std::vector<int> sent(at(processes), 0);
    std::vector<int> received(at(processes), 0);
    int most = 0;
    for (const WeightedEdge& edge : edges)
        most = std::max({most, ++sent[at(edge.from)], ++received[at(edge.to)]});
    Timetable out(processes, 2 * most + 1);
    Timetable in(processes, 2 * most + 1);
    std::vector<int> result(edges.size(), none);
    const auto put = [&](int e, int round) {
        result[at(e)] = round;
        out.at_round(edges[at(e)].from, round) = e;
        in.at_round(edges[at(e)].to, round) = e;
    };
    std::ranges::fill(sent, 0);
    std::ranges::fill(received, 0);
    most = 0; // messages of a process so far
    for (const int e : order) {
        const int from = edges[at(e)].from;
        const int to = edges[at(e)].to;
        most = std::max({most, ++sent[at(from)], ++received[at(to)]});
        int round = 0;
        while (round < most && (out.at_round(from, round) != none || in.at_round(to, round) != none)) ++round;
        if (round == most) {
            // Messages on a path from `to`, of two rounds in turn, change rounds.  It does not lead to `from`,
            // which sends nothing in the first of them.
            const int first = out.first_free(from);
            const int other = in.first_free(to);
            std::vector<int> path;
            for (int next = in.at_round(to, first); next != none;) {
                path.push_back(next);
                next = path.size() % 2 == 1 ? out.at_round(edges[at(next)].from, other)
                                            : in.at_round(edges[at(next)].to, first);
            }
            // Heavy messages stay where they are: a light one takes a round of its own.
            const bool is_light = std::ranges::any_of(
                path, [&](int moved) { return edges[at(moved)].weight / 2 > edges[at(e)].weight; });
            if (is_light) {
                while (out.at_round(from, round) != none || in.at_round(to, round) != none) ++round;
                put(e, round);
                continue;
            }
            round = first;
            for (const int moved : path) {
                out.at_round(edges[at(moved)].from, result[at(moved)]) = none;
                in.at_round(edges[at(moved)].to, result[at(moved)]) = none;
            }
            for (const int moved : path) put(moved, first + other - result[at(moved)]);
        }
        put(e, round);
    }
    // Rounds by their heaviest messages.
    for (const int round : result) most = std::max(most, round + 1);
    std::vector<std::int64_t> heaviest(at(most), -1);
    for (std::size_t e = 0; e < edges.size(); ++e)
        heaviest[at(result[e])] = std::max(heaviest[at(result[e])], edges[e].weight);
    std::vector<int> by_weight(at(most));
    std::iota(by_weight.begin(), by_weight.end(), 0);
    std::ranges::stable_sort(by_weight, std::greater(), [&](int round) { return heaviest[at(round)]; });
    std::vector<int> place(at(most));
    for (int i = 0; i < most; ++i) place[at(by_weight[at(i)])] = i;
    for (int& round : result) round = place[at(round)];
    return result;
}

std::vector<int> rounds_by_offset(std::span<const WeightedEdge> edges, std::span<const int> offsets)
{
    struct Weights {
        std::int64_t heaviest;
        std::int64_t lightest;
    };
    std::map<int, Weights> by_offset;
    std::map<int, int> sent; // process -> messages
    int most = 0;
    for (std::size_t e = 0; e < edges.size(); ++e) {
        if (offsets[e] < 0) return {};
        const std::int64_t weight = edges[e].weight;
        auto& [heaviest, lightest] = by_offset.try_emplace(offsets[e], weight, weight).first->second;
        heaviest = std::max(heaviest, weight);
        lightest = std::min(lightest, weight);
        if (heaviest / 2 >= std::max<std::int64_t>(lightest, 1)) return {};
        most = std::max(most, ++sent[edges[e].from]);
    }
    if (std::ssize(by_offset) > most) return {};
    std::vector<int> order;
    for (const auto& [offset, weights] : by_offset) order.push_back(offset);
    std::ranges::stable_sort(order, std::greater(),
                             [&](int offset) { return by_offset.at(offset).heaviest; });
    std::map<int, int> round_of;
    for (const int offset : order) round_of.emplace(offset, static_cast<int>(round_of.size()));
    std::vector<int> result;
    for (const int offset : offsets) result.push_back(round_of.at(offset));
    return result;
}

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
                                      std::int64_t most_messages, const Agreement& agreement)
{
    if (most_messages * agreement.processes > most_of_all) return std::nullopt;
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
    if (rounds.empty()) rounds = color_edges(all, agreement.processes);
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
                                     std::span<const std::int64_t> bytes, bool named,
                                     const Agreement& agreement)
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
