// SPDX-License-Identifier: BSD-3-Clause
// Graphs whose edges all processes know, one by one; for exchanges on nodes that are none (ORTHO_NODES).
#pragma once

namespace test {

inline unsigned mix(unsigned a, unsigned b, unsigned c)
{
    unsigned n = a * 2654435761U + b * 40503U + c * 69069U + 12345U;
    n ^= n >> 15U;
    n *= 2246822519U;
    return n ^ n >> 13U;
}

/// A graph of these edges, from a rank to a rank.  Its lists are in any order, and edges between two
/// processes in theirs.
template <class Edge>
class EdgeGraph {
public:
    EdgeGraph(const std::vector<Edge>& edges, unsigned seed)
    {
        const auto me = static_cast<unsigned>(rank());
        const auto key = [&](int partner) { return mix(seed, static_cast<unsigned>(partner), me); };
        for (const Edge& edge : edges) {
            if (edge.from == rank()) out.push_back(edge);
            if (edge.to == rank()) in.push_back(edge);
        }
        std::ranges::stable_sort(out, {}, [&](const Edge& edge) { return key(edge.to); });
        std::ranges::stable_sort(in, {}, [&](const Edge& edge) { return key(edge.from); });
        Ints sources, targets;
        for (const Edge& edge : in) sources.push_back(edge.from);
        for (const Edge& edge : out) targets.push_back(edge.to);
        made = test::adjacent(sources, targets);
    }
    EdgeGraph(const EdgeGraph&) = delete;
    EdgeGraph& operator=(const EdgeGraph&) = delete;
    ~EdgeGraph() { MPI_Comm_free(&made); }

    std::vector<Edge> in, out;
    MPI_Comm made = MPI_COMM_NULL;
};

/// Element `element` of a process in a call, of 1000 at most.
inline int value(int rank, int element, int call) { return call * 1'000'000 + rank * 1000 + element; }

} // namespace test
