// SPDX-License-Identifier: BSD-3-Clause
// Points of a grid and the edges between them.  No MPI in this file.

#include "placement/point_graph.hpp"

#include <algorithm>

#include "base/index.hpp"
#include "placement/edge_cut.hpp"

namespace ortho::placement {

PointGraph::PointGraph(const grid::Neighborhood& neighborhood, std::span<const std::int64_t> weights)
    : begin_(at(neighborhood.grid.points()) + 1)
{
    const auto for_each_edge = [&](auto&& call) {
        for (int i = 0; i < neighborhood.size(); ++i) {
            const std::int64_t weight = weight_of(weights, i);
            if (weight == 0) continue;
            for_each_run(neighborhood.grid, neighborhood.offsets[i], [&](int from, int to, int length) {
                if (from == to) return; // then so is each edge of the run
                for (int j = 0; j < length; ++j) {
                    call(from + j, to + j, weight);
                    call(to + j, from + j, weight);
                }
            });
        }
    };
    fill(for_each_edge);
}

PointGraph::PointGraph(int vertices, std::span<const Link> links) : begin_(at(vertices) + 1)
{
    fill([&](auto&& call) {
        for (const auto& [from, to, weight] : links) {
            call(from, to, weight);
            call(to, from, weight);
        }
    });
}

template <class ForEachEdge>
void PointGraph::fill(ForEachEdge for_each_edge)
{
    for_each_edge([&](int from, int, std::int64_t) { ++begin_[at(from) + 1]; });
    for (std::size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
    edges_.resize(begin_.back());
    std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
    for_each_edge([&](int from, int to, std::int64_t weight) { edges_[next[at(from)]++] = {to, weight}; });
}

PointGraph::PointGraph(const grid::Neighborhood& neighborhood, std::span<const std::int64_t> weights,
                       std::span<const int> points)
{
    begin_.push_back(0);
    for (const int point : points) {
        const auto add = [&](int other, std::int64_t weight) {
            if (other == grid::Grid::nowhere || other == point || weight == 0) return;
            const auto found = std::ranges::lower_bound(points, other);
            if (found != points.end() && *found == other)
                edges_.push_back({static_cast<int>(found - points.begin()), weight});
        };
        for (int i = 0; i < neighborhood.size(); ++i) {
            add(neighborhood.grid.neighbor(point, neighborhood.offsets[i]), weight_of(weights, i));
            add(neighborhood.grid.neighbor_against(point, neighborhood.offsets[i]), weight_of(weights, i));
        }
        begin_.push_back(edges_.size());
    }
}

std::int64_t cut_of(const PointGraph& graph, std::span<const int> part_of)
{
    std::int64_t twice = 0;
    for (int vertex = 0; vertex < graph.size(); ++vertex)
        for (const auto& [other, weight] : graph.edges(vertex))
            twice += part_of[at(vertex)] != part_of[at(other)] ? weight : 0;
    return twice / 2;
}

} // namespace ortho::placement
