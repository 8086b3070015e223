// SPDX-License-Identifier: BSD-3-Clause
// Rounds for the messages of a graph.  No MPI in this file.

#include "algorithm/edge_coloring.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <tuple>

namespace ortho::algorithm {

namespace {

/// The rounds in which a process is busy, by bits.
using Rounds = std::vector<std::uint64_t>;

int first_free(const Rounds& a, const Rounds& b)
{
    for (std::size_t word = 0;; ++word) {
        const std::uint64_t busy = (word < a.size() ? a[word] : 0) | (word < b.size() ? b[word] : 0);
        if (busy != ~std::uint64_t{0}) return static_cast<int>(64 * word) + std::countr_one(busy);
    }
}

void occupy(Rounds& rounds, int round)
{
    const auto word = static_cast<std::size_t>(round) / 64;
    if (rounds.size() <= word) rounds.resize(word + 1, 0);
    rounds[word] |= std::uint64_t{1} << (round % 64);
}

} // namespace

std::vector<int> color_edges(std::span<const WeightedEdge> edges, int processes)
{
    std::vector<std::size_t> order(edges.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(
        order, {}, [&](std::size_t e) { return std::tuple(-edges[e].weight, edges[e].from, edges[e].to); });
    std::vector<Rounds> sending(static_cast<std::size_t>(processes));
    std::vector<Rounds> receiving(static_cast<std::size_t>(processes));
    std::vector<int> result(edges.size());
    for (const std::size_t e : order) {
        Rounds& out = sending[static_cast<std::size_t>(edges[e].from)];
        Rounds& in = receiving[static_cast<std::size_t>(edges[e].to)];
        result[e] = first_free(out, in);
        occupy(out, result[e]);
        occupy(in, result[e]);
    }
    return result;
}

} // namespace ortho::algorithm
