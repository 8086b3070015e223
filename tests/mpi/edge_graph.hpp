// SPDX-License-Identifier: BSD-3-Clause
// Graphs whose edges all processes know, one by one.
#pragma once

namespace test {

/// A graph of these edges, from a rank to a rank.
template <class Edge>
class EdgeGraph {
public:
    /// `order(in, out)` may sort the lists of this process, which are in the order of the edges.
    template <class Order>
    EdgeGraph(const std::vector<Edge>& edges, MPI_Comm comm, Order order)
    {
        for (const Edge& edge : edges) {
            if (edge.from == rank(comm)) out.push_back(edge);
            if (edge.to == rank(comm)) in.push_back(edge);
        }
        order(in, out);
        std::vector<int> sources, targets;
        for (const Edge& edge : in) sources.push_back(edge.from);
        for (const Edge& edge : out) targets.push_back(edge.to);
        made = test::adjacent(sources, targets, comm);
    }
    EdgeGraph(const EdgeGraph&) = delete;
    EdgeGraph& operator=(const EdgeGraph&) = delete;
    ~EdgeGraph() { MPI_Comm_free(&made); }

    std::vector<Edge> in, out;
    MPI_Comm made = MPI_COMM_NULL;
};

} // namespace test
