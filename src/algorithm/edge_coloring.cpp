// SPDX-License-Identifier: BSD-3-Clause
// Rounds for the messages of a graph.  No MPI in this file.

#include "algorithm/edge_coloring.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <tuple>

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

} // namespace ortho::algorithm
