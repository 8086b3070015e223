// SPDX-License-Identifier: BSD-3-Clause
// A graph without directions: points of a grid, or any vertices.  No MPI in this file.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "grid/neighborhood.hpp"

namespace ortho::placement {

/// Vertices 0 .. size() - 1 and their edges.  Each edge is in the lists of both its ends.  Two vertices may
/// have several edges between them.
class PointGraph {
public:
    struct Edge {
        int to;
        std::int64_t weight;

        bool operator==(const Edge&) const = default;
    };

    /// An edge between two vertices.
    struct Link {
        int from;
        int to;
        std::int64_t weight;
    };

    /// `links`: edges between different vertices.
    PointGraph(int vertices, std::span<const Link> links);
    /// Vertex i is point i of the grid.
    PointGraph(const grid::Neighborhood& neighborhood, std::span<const std::int64_t> weights);
    /// Vertex i is point points[i] of the grid; `points` are in increasing order.
    PointGraph(const grid::Neighborhood& neighborhood, std::span<const std::int64_t> weights,
               std::span<const int> points);

    int size() const { return static_cast<int>(begin_.size()) - 1; }
    std::span<const Edge> edges(int vertex) const
    {
        const auto i = static_cast<std::size_t>(vertex);
        return std::span(edges_).subspan(begin_[i], begin_[i + 1] - begin_[i]);
    }
    /// The number of ends of edges, two for each edge.
    std::size_t edge_ends() const { return edges_.size(); }

    bool operator==(const PointGraph&) const = default;

private:
    /// Calls for_each_edge(call) twice; that calls call(from, to, weight) for each edge from each of its ends.
    template <class ForEachEdge>
    void fill(ForEachEdge for_each_edge);

    std::vector<std::size_t> begin_;
    std::vector<Edge> edges_;
};

/// The weight of edges between vertices with different parts.
std::int64_t cut_of(const PointGraph& graph, std::span<const int> part_of);

} // namespace ortho::placement
