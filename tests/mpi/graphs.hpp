// SPDX-License-Identifier: BSD-3-Clause
// Communicators that carry a graph, from lists.
#pragma once

#include <mpi.h>

#include <array>
#include <initializer_list>
#include <map>
#include <vector>

#include "check.hpp"
#include "mpiortho.h"

namespace test {

/// Integers in a list of any kind.
class Numbers : public std::vector<int> {
public:
    Numbers(std::initializer_list<int> list) : std::vector<int>(list) {}
    template <class List>
    requires requires(const List& list) { std::begin(list); }
    Numbers(const List& list) : std::vector<int>(std::begin(list), std::end(list)) {}
    int count() const { return static_cast<int>(size()); }
};

inline MPI_Comm adjacent(const Numbers& sources, const Numbers& targets, MPI_Comm comm = MPI_COMM_WORLD,
                         MPI_Info info = MPI_INFO_NULL, int reorder = 0)
{
    MPI_Comm graph = MPI_COMM_NULL;
    CHECK_OK(ORTHO_Dist_graph_create_adjacent(comm, sources.count(), sources.data(), MPI_UNWEIGHTED,
                                              targets.count(), targets.data(), MPI_UNWEIGHTED, info, reorder,
                                              &graph));
    return graph;
}

/// The edges of a process; their weights are 0 if they have none.
struct Lists {
    std::vector<int> sources, source_weights, targets, target_weights;
    bool operator==(const Lists&) const = default;
};

/// By the library, or by another constructor.
template <class Create>
MPI_Comm adjacent(Create create, Lists lists, bool weighted, MPI_Comm comm, int reorder)
{
    const int in = Numbers(lists.sources).count(), out = Numbers(lists.targets).count();
    for (auto* list : {&lists.sources, &lists.source_weights, &lists.targets, &lists.target_weights})
        list->push_back(0); // no null pointers
    MPI_Comm graph = MPI_COMM_NULL;
    CHECK_OK(create(comm, in, lists.sources.data(), weighted ? lists.source_weights.data() : MPI_UNWEIGHTED,
                    out, lists.targets.data(), weighted ? lists.target_weights.data() : MPI_UNWEIGHTED,
                    MPI_INFO_NULL, reorder, &graph));
    return graph;
}
inline MPI_Comm adjacent(const Lists& lists, bool weighted, MPI_Comm comm = MPI_COMM_WORLD, int reorder = 0)
{
    return adjacent(ORTHO_Dist_graph_create_adjacent, lists, weighted, comm, reorder);
}
inline MPI_Comm adjacent_by_mpi(const Lists& lists, bool weighted, MPI_Comm comm = MPI_COMM_WORLD)
{
    return adjacent(MPI_Dist_graph_create_adjacent, lists, weighted, comm, 0);
}

inline MPI_Comm neighborhood(const Numbers& dims, const Numbers& periods, const Numbers& offsets,
                             MPI_Comm comm = MPI_COMM_WORLD, MPI_Info info = MPI_INFO_NULL)
{
    MPI_Comm graph = MPI_COMM_NULL;
    CHECK_OK(ORTHO_Cart_neighborhood_create(comm, dims.count(), dims.data(), periods.data(),
                                            dims.empty() ? 0 : offsets.count() / dims.count(), offsets.data(),
                                            MPI_UNWEIGHTED, info, 0, &graph));
    return graph;
}

/// Makes a graph without edges, and frees it: the code of what is wrong with the info or the environment.
inline int try_graph(MPI_Info info = MPI_INFO_NULL)
{
    MPI_Comm graph = MPI_COMM_NULL;
    const int code = ORTHO_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, nullptr, MPI_UNWEIGHTED, 0, nullptr,
                                                      MPI_UNWEIGHTED, info, 0, &graph);
    if (graph != MPI_COMM_NULL) MPI_Comm_free(&graph);
    return code;
}

/// MPI's own grid.
inline MPI_Comm cart(const Numbers& dims, const Numbers& periods, MPI_Comm comm = MPI_COMM_WORLD)
{
    MPI_Comm result = MPI_COMM_NULL;
    CHECK_OK(MPI_Cart_create(comm, dims.count(), dims.data(), periods.data(), 0, &result));
    return result;
}

/// Names the processes of a communicator by the points of a grid: how many these are.
inline int name(MPI_Comm comm, const Numbers& dims, const Numbers& periods, int order = ORTHO_ROWMAJOR)
{
    int points = -1;
    CHECK_OK(ORTHO_Cart_name(comm, dims.count(), order, dims.data(), periods.data(), &points));
    return points;
}

/// A graph of MPI's older make: the neighbors of each process.
inline MPI_Comm old_graph(const std::vector<std::vector<int>>& neighbors, MPI_Comm comm = MPI_COMM_WORLD)
{
    std::vector<int> ends, edges;
    for (const auto& list : neighbors) {
        edges.insert(edges.end(), list.begin(), list.end());
        ends.push_back(static_cast<int>(edges.size()));
    }
    edges.push_back(0); // no null pointer
    MPI_Comm graph = MPI_COMM_NULL;
    MPI_Graph_create(comm, static_cast<int>(ends.size()), ends.data(), edges.data(), 0, &graph);
    return graph;
}

/// The name of a communicator: whether there is one, its dimensions, its size.
inline std::array<int, 3> named(MPI_Comm comm)
{
    std::array<int, 3> result{-1, -1, -1};
    CHECK_OK(ORTHO_Cart_test(comm, &result[0], &result[1], &result[2]));
    return result;
}

/// Edges in and out, and whether they have weights.
inline std::array<int, 3> edges(MPI_Comm comm)
{
    std::array<int, 3> result{-1, -1, -1};
    CHECK_OK(ORTHO_Dist_graph_neighbors_count(comm, &result[0], &result[1], &result[2]));
    return result;
}

/// The edges as the library tells them, or as MPI does, which has no gaps.
inline Lists lists_of(MPI_Comm graph, bool by_mpi = false)
{
    auto [in, out, weighted] = edges(graph);
    if (by_mpi) CHECK_OK(MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted));
    const std::vector<int> sources(static_cast<std::size_t>(in) + 1),
        targets(static_cast<std::size_t>(out) + 1);
    Lists lists{sources, sources, targets, targets};
    const auto neighbors = by_mpi ? MPI_Dist_graph_neighbors : ORTHO_Dist_graph_neighbors;
    CHECK_OK(neighbors(graph, in, lists.sources.data(), lists.source_weights.data(), out,
                       lists.targets.data(), lists.target_weights.data()));
    for (auto* list : {&lists.sources, &lists.source_weights, &lists.targets, &lists.target_weights})
        list->pop_back();
    return lists;
}

/// A block for each edge arrives: the k-th from a process to another one is the k-th among those there.
inline void check_blocks(MPI_Comm graph)
{
    const int p = size(graph), me = rank(graph);
    const auto blocks = [&](const std::vector<int>& partners, bool out) {
        std::map<int, int> seen;
        std::vector<int> result;
        for (const int partner : partners) {
            const int pair = out ? me * p + partner : partner * p + me;
            result.push_back(partner == MPI_PROC_NULL ? -1 : 100 * pair + seen[partner]++);
        }
        result.push_back(-1); // no null pointer
        return result;
    };
    const Lists lists = lists_of(graph);
    const std::vector<int> sent = blocks(lists.targets, true);
    std::vector<int> received(lists.sources.size() + 1, -1);
    CHECK_OK(ORTHO_Alltoall(sent.data(), 1, MPI_INT, received.data(), 1, MPI_INT, graph));
    CHECK(received == blocks(lists.sources, false));
}

inline int topology(MPI_Comm comm)
{
    int result = -1;
    CHECK_OK(ORTHO_Topo_test(comm, &result));
    return result;
}

/// The number of the offsets that are the same on all processes, or -1.
inline int isomorphic(MPI_Comm graph)
{
    int flag = -1, t = -1;
    CHECK_OK(ORTHO_Comm_isomorphic(graph, &flag, &t));
    CHECK(flag == 1 || t == 0);
    return flag == 1 ? t : -1;
}

/// More graphs of this process alone than there may be until new ones get no communicator.
class ManyGraphs {
public:
    ManyGraphs()
    {
        for (MPI_Comm& graph : graphs_) graph = adjacent({}, {}, MPI_COMM_SELF);
    }
    ManyGraphs(const ManyGraphs&) = delete;
    ManyGraphs& operator=(const ManyGraphs&) = delete;
    ~ManyGraphs()
    {
        for (MPI_Comm& graph : graphs_) MPI_Comm_free(&graph);
    }

private:
    std::array<MPI_Comm, 129> graphs_{};
};

} // namespace test
