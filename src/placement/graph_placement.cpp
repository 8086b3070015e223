// SPDX-License-Identifier: BSD-3-Clause
// The placement of the vertices of any graph.  No MPI in this file.

#include "placement/graph_placement.hpp"

#include <cstdint>
#include <queue>
#include <span>
#include <utility>

#include "base/index.hpp"
#include "placement/kernighan_lin.hpp"

namespace ortho::placement {

namespace {

// Steps on exchanges between parts, for each vertex and each halving: nanoseconds each.
constexpr std::int64_t exchanges_a_vertex = 3000;

/// Halves the nodes again and again, and the vertices with them.  One half of a set of vertices grows from a
/// vertex at its border: each time the vertex comes in that has most weight to the half, less its weight to
/// the others.  Exchanges between all parts improve each round of halves.
class Halving {
public:
    Halving(const PointGraph& graph, const grid::Nodes& nodes)
        : graph_(graph),
          nodes_(nodes),
          set_of_(at(graph.size()), 0),
          seen_(at(graph.size()), 0),
          gain_(at(graph.size()), 0)
    {}

    std::vector<int> node_of()
    {
        // A set's number is that of its first node; nodes lie in a row.
        std::vector<std::pair<int, int>> sets{{0, nodes_.count()}};
        while (static_cast<int>(sets.size()) < nodes_.count()) {
            std::vector<std::pair<int, int>> halves;
            const std::vector<std::vector<int>> vertices = members(sets);
            for (std::size_t i = 0; i < sets.size(); ++i) {
                const auto [first, last] = sets[i];
                const int middle = first + (last - first + 1) / 2;
                halves.emplace_back(first, middle);
                if (middle == last) continue;
                halves.emplace_back(middle, last);
                divide(vertices[i], first, middle);
            }
            sets = std::move(halves);
            exchange(graph_, set_of_, exchanges_a_vertex * graph_.size());
        }
        return std::move(set_of_);
    }

private:
    struct Candidate {
        std::int64_t gain;
        std::int64_t order; ///< the later, the smaller
        int vertex;

        auto operator<=>(const Candidate&) const = default;
    };

    std::vector<std::vector<int>> members(std::span<const std::pair<int, int>> sets) const
    {
        std::vector<std::size_t> index(at(nodes_.count()));
        for (std::size_t i = 0; i < sets.size(); ++i) index[at(sets[i].first)] = i;
        std::vector<std::vector<int>> result(sets.size());
        for (int v = 0; v < graph_.size(); ++v) result[index[at(set_of_[at(v)])]].push_back(v);
        return result;
    }

    /// The vertex of the set that a search in breadth from its first vertex meets last.
    int far_vertex(const std::vector<int>& vertices, int set)
    {
        ++round_;
        int last = vertices.front();
        std::queue<int> waiting({last});
        seen_[at(last)] = round_;
        for (; !waiting.empty(); waiting.pop()) {
            last = waiting.front();
            for (const auto& [to, weight] : graph_.edges(last))
                if (set_of_[at(to)] == set && std::exchange(seen_[at(to)], round_) != round_)
                    waiting.push(to);
        }
        return last;
    }

    /// Vertices of the set `set` stay until the nodes below `middle` are full; the others go to `middle`.
    void divide(const std::vector<int>& vertices, int set, int middle)
    {
        if (vertices.empty()) return;
        int room = 0;
        for (int node = set; node < middle; ++node) room += nodes_.size(node);
        std::priority_queue<Candidate> candidates;
        const int start = far_vertex(vertices, set);
        for (const int v : vertices) set_of_[at(v)] = middle;
        for (const int v : vertices) {
            gain_[at(v)] = 0;
            for (const auto& [to, weight] : graph_.edges(v))
                if (set_of_[at(to)] == middle) gain_[at(v)] -= weight;
        }
        std::int64_t order = 0;
        candidates.push({gain_[at(start)], order, start});
        for (auto next = vertices.begin(); room > 0;) {
            while (candidates.empty()) {
                // The set is in several pieces.
                if (set_of_[at(*next)] == middle) candidates.push({gain_[at(*next)], --order, *next});
                ++next;
            }
            const auto [its_gain, its_order, vertex] = candidates.top();
            candidates.pop();
            if (set_of_[at(vertex)] != middle || its_gain != gain_[at(vertex)]) continue; // was here before
            set_of_[at(vertex)] = set;
            --room;
            for (const auto& [to, weight] : graph_.edges(vertex))
                if (set_of_[at(to)] == middle) gain_[at(to)] += 2 * weight;
            for (const auto& [to, weight] : graph_.edges(vertex))
                if (set_of_[at(to)] == middle) candidates.push({gain_[at(to)], --order, to});
        }
    }

    const PointGraph& graph_;
    const grid::Nodes& nodes_;
    std::vector<int> set_of_;
    std::vector<int> seen_; // the round in which a search met the vertex
    int round_ = 0;
    std::vector<std::int64_t> gain_;
};

} // namespace

std::vector<int> place_graph(const PointGraph& graph, const grid::Nodes& nodes)
{
    const std::vector<int> given(nodes.of_all().begin(), nodes.of_all().end());
    std::vector<int> best = given;
    exchange(graph, best, exchanges_a_vertex * graph.size());
    std::vector<int> halved = Halving(graph, nodes).node_of();
    if (cut_of(graph, halved) < cut_of(graph, best)) best = std::move(halved);
    return cut_of(graph, best) < cut_of(graph, given) ? best : given;
}

} // namespace ortho::placement
